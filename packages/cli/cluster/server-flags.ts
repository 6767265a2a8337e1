import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { UserError } from '../terminal/user-error.ts';
import { defaultDataDir } from './data-dir.ts';

/**
 * Flags of `server` and `apiserver` that decide where things are. All that decides how the API server answers is in its
 * own table (apiserver/flags, a file a room): commander only collects those, `given-flags.ts` finds them again.
 */
export interface ServerFlags {
  readonly dataDir: string;
  readonly config?: string;
  readonly securePort?: number;
  readonly bindAddress: string;
  readonly advertiseAddress?: string;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly serviceClusterIpRange?: string;
  readonly storage: 'sqlite' | 'memory';
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

/** Flags of everything that runs on a node. */
export interface AgentFlags {
  readonly nodeName?: string;
  readonly nodeIp?: string;
  readonly kubeletPort?: number;
  readonly clusterCidr?: string;
  readonly clusterDomain: string;
  readonly dnsUpstream: string[];
  readonly maxPods: number;
  readonly containerRuntimeEndpoint?: string;
  readonly cniConfDir?: string;
  readonly cniBinDir: string;
}

const collect = (value: string, previous: string[] = []) => [...previous, value];

export function addDataDirFlag(command: Command): Command {
  return command.option('--data-dir <folder>', 'folder that holds everything of the cluster', defaultDataDir);
}

/** The flags of the API server. */
export function addServerFlags(command: Command): Command {
  addDataDirFlag(command)
    .option('--config <file>', 'YAML file with flags: secure-port: 6443')
    .option('--secure-port <port>', 'port of the API server (default: 6443, or that of the last start)', portNumber)
    .option('--bind-address <address>', 'address that the API server listens on', '0.0.0.0')
    .option('--advertise-address <address>', "address behind the Service 'kubernetes' (default: this machine's)")
    .option('--tls-cert-file <file>', "serving certificate (PEM; default: signed by the cluster's authority)")
    .option('--tls-private-key-file <file>', 'key of the serving certificate (PEM)')
    .option('--service-cluster-ip-range <cidr>', 'addresses of Services (default: 10.96.0.0/16, or the next free one)')
    .addOption(new Option('--storage <kind>', 'where objects are kept').choices(['sqlite', 'memory']).default('sqlite'))
    .addOption(
      new Option('--log-level <level>', 'least level that is logged')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('info'),
    );
  ofServers.add(command);
  return command;
}

const ofServers = new WeakSet<Command>();
const openingStores = new WeakSet<Command>();

/** The command is a server itself, with a store of its own. */
export function opensStore(command: Command): Command {
  openingStores.add(command);
  return command;
}

/** Starts the store's thread: it comes up while this one loads the API server. */
export async function startStoreThread(command: Command): Promise<void> {
  if (!openingStores.has(command)) return;
  const { startSpareThread } = await import('@kubernode/store/sqlite-thread');
  startSpareThread();
}

/**
 * Completes the flags of a command that starts an API server. The table comes with the whole API server, which takes a
 * quarter of a second to load: commands that need no server never ask.
 */
export async function loadServerFlags(command: Command): Promise<void> {
  if (!ofServers.delete(command)) return;
  const { serverFlags } = await import('@kubernode/apiserver');
  for (const [name, { value, description, shownDefault, isRepeated }] of Object.entries(serverFlags)) {
    const told = shownDefault ? `${description} (default: ${shownDefault})` : description;
    const option = new Option(`--${name} ${value}`, told);
    if (isRepeated) option.argParser(collect);
    command.addOption(option);
  }
}

/** The flags of a node. */
export function addAgentFlags(command: Command): Command {
  return command
    .option('--node-name <name>', "name of the node (default: this machine's)")
    .option('--node-ip <address>', "address of the node (default: this machine's)")
    .option('--kubelet-port <port>', "port of the kubelet (default: the API server's plus 3807, so 10250)", portNumber)
    .option('--cluster-cidr <cidr>', 'addresses of pods (default: 10.244.0.0/16, or the next free one)')
    .option('--cluster-domain <domain>', 'DNS domain of the cluster', 'cluster.local')
    .option(
      '--dns-upstream <address>',
      'DNS server for names outside of the cluster (default: none, they are refused)',
      collect,
      [],
    )
    .option('--max-pods <number>', 'pods that the node takes', wholeNumber, 110)
    .option(
      '--container-runtime-endpoint <socket>',
      'CRI socket, such as unix:///run/containerd/containerd.sock (default: our own runtime)',
    )
    .option('--cni-conf-dir <folder>', 'CNI configurations; the first one is used (default: our own bridge)')
    .option('--cni-bin-dir <folder>', 'CNI plugins', '/opt/cni/bin');
}

/** Puts the values of `--config` under flags that were not given on the command line. Throws UserError on unknown ones. */
export async function applyConfigFile(command: Command): Promise<void> {
  const file = command.getOptionValue('config') as string | undefined;
  if (!file) return;
  for (const [key, value] of Object.entries(await readConfig(file))) {
    const option = command.options.find(({ long }) => long === `--${key}`);
    if (!option) throw new UserError(`${file}: there is no flag "${key}".`, `See: kubernode ${command.name()} --help`);
    const name = option.attributeName();
    if (command.getOptionValueSource(name) === 'cli') continue;
    const values = Array.isArray(value) ? value.map(String) : [String(value)];
    const parsed = values.reduce<unknown>((previous, text) => parseWith(option, text, previous, file), undefined);
    command.setOptionValueWithSource(name, parsed, 'config');
  }
}

function parseWith(option: Option, text: string, previous: unknown, file: string): unknown {
  try {
    return option.parseArg ? option.parseArg(text, previous as never) : text;
  } catch (error) {
    throw new UserError(`${file}: ${option.long?.slice(2)}: ${(error as Error).message}`, undefined, { cause: error });
  }
}

async function readConfig(file: string): Promise<Record<string, unknown>> {
  const { load } = await import('js-yaml');
  let parsed: unknown;
  try {
    parsed = load(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UserError(`Cannot read the configuration ${file}: ${(error as Error).message}`, undefined, {
      cause: error,
    });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new UserError(`${file} must be a mapping of flags, such as "secure-port: 6443".`);
  }
  return parsed as Record<string, unknown>;
}

function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port < 1 || port > 65_535) throw new InvalidArgumentError('Expected a port: 1 to 65535.');
  return port;
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}
