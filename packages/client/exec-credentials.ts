import { spawn } from 'node:child_process';
import { isAbsolute, join } from 'node:path';
import { parseTime, type Clock } from '@kubernode/machinery';

/** What a client shows of itself. */
export interface ShownCredentials {
  readonly token?: string | undefined;
  /** PEM, both or none. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** Where credentials come from that do not stay the same. */
export interface CredentialSource {
  /** The same object until they change. Rejects with why there are none. */
  readonly current: () => Promise<ShownCredentials>;
  /** The server refused these (401): others are fetched, unless that was done already. */
  readonly refused: (shown: ShownCredentials) => Promise<void>;
}

/** `users[].user.exec` of a kubeconfig (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  /** Told when the command is not there. */
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: string;
}

export interface ExecOptions {
  /** The user's name in the kubeconfig, for messages. */
  readonly userName: string;
  readonly clock: Clock;
  /** What the plugin is told of the server, if it asks for it. */
  readonly cluster: Readonly<Record<string, unknown>>;
  /** What a command with a path counts from. */
  readonly directory: string;
}

const group = 'client.authentication.k8s.io';
const versions = [`${group}/v1`, `${group}/v1beta1`];
const interactiveModes = ['Never', 'IfAvailable', 'Always'];
const outputBytesMax = 1024 * 1024;

/**
 * Credentials that a program prints (KEP-541): it is run when they are first needed, when they have expired, and when the
 * server refuses them. Throws, as client-go words it, for a plugin that is not described completely.
 */
export function execCredentials(plugin: ExecPlugin, options: ExecOptions): CredentialSource {
  const { userName, clock } = options;
  check(plugin, userName);
  let known: { readonly shown: ShownCredentials; readonly expiresMs: number } | undefined;
  let running: Promise<ShownCredentials> | undefined;
  const refresh = (): Promise<ShownCredentials> => {
    running ??= run(plugin, options)
      .then((found) => {
        known = found;
        return found.shown;
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  return {
    async current() {
      return known && clock.now() < known.expiresMs ? known.shown : refresh();
    },
    async refused(shown) {
      if (!known || known.shown === shown) await refresh();
    },
  };
}

function check({ command, apiVersion, env, interactiveMode }: ExecPlugin, userName: string): void {
  const needed = (what: string) =>
    new Error(`kubeconfig: ${what} must be specified for ${userName} to use exec authentication plugin`);
  if (!command) throw needed('command');
  if (!apiVersion) throw needed('apiVersion');
  if (!versions.includes(apiVersion)) {
    throw new Error(`exec plugin: invalid apiVersion ${JSON.stringify(apiVersion)}, expected ${versions.join(' or ')}`);
  }
  if (env?.some(({ name }) => !name)) throw needed('env variable name');
  if (!interactiveMode && apiVersion === versions[0]) throw needed('interactiveMode');
  if (interactiveMode && !interactiveModes.includes(interactiveMode)) {
    throw new Error(`kubeconfig: invalid interactiveMode for ${userName}: ${JSON.stringify(interactiveMode)}`);
  }
}

/** Whether the plugin may ask a person. Throws where it must, and nobody is there. */
function isInteractive({ interactiveMode }: ExecPlugin): boolean {
  const isTerminal = process.stdin.isTTY === true;
  if (interactiveMode === 'Always' && !isTerminal) {
    throw new Error('exec plugin cannot support interactive mode: standard input is not a terminal');
  }
  return interactiveMode !== 'Never' && isTerminal;
}

interface ExecCredential {
  readonly apiVersion?: string;
  readonly status?: {
    readonly token?: string;
    readonly expirationTimestamp?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
  };
}

async function run(plugin: ExecPlugin, options: ExecOptions) {
  const { apiVersion = '', provideClusterInfo } = plugin;
  const interactive = isInteractive(plugin);
  const spec = { ...(provideClusterInfo && { cluster: options.cluster }), interactive };
  const info = JSON.stringify({ kind: 'ExecCredential', apiVersion, spec });
  const text = await output(plugin, options, info, interactive);
  let credential: ExecCredential;
  try {
    credential = JSON.parse(text) as ExecCredential;
  } catch (error) {
    throw new Error(`decoding stdout: ${(error as Error).message}`, { cause: error });
  }
  if (credential.apiVersion !== apiVersion) {
    const came = credential.apiVersion ?? '';
    throw new Error(`exec plugin is configured to use API version ${apiVersion}, plugin returned version ${came}`);
  }
  const { status } = credential;
  if (!status) throw new Error("exec plugin didn't return a status field");
  const { token, clientCertificateData: certificate, clientKeyData: key } = status;
  if (!token && !certificate && !key) throw new Error("exec plugin didn't return a token or cert/key pair");
  if (!certificate !== !key) throw new Error('exec plugin returned only certificate or key, not both');
  const expiresMs = parseTime(status.expirationTimestamp) ?? Infinity;
  return {
    shown: { token: token || undefined, certificate: certificate || undefined, key: key || undefined },
    expiresMs,
  };
}

/** What the command prints. A command with a path counts from the kubeconfig, others are looked for in PATH. */
function output(plugin: ExecPlugin, options: ExecOptions, info: string, interactive: boolean): Promise<string> {
  const { command = '', args, env, installHint } = plugin;
  const path = command.includes('/') && !isAbsolute(command) ? join(options.directory, command) : command;
  const own = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  return new Promise((resolve, reject) => {
    const child = spawn(path, [...(args ?? [])], {
      env: { ...process.env, ...own, KUBERNETES_EXEC_INFO: info },
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    let length = 0;
    child.stdout!.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > outputBytesMax) child.kill();
      else chunks.push(chunk);
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      const hint = installHint ? `\n\n${installHint}` : '';
      const isMissing = error.code === 'ENOENT';
      reject(new Error(isMissing ? `exec: executable ${command} not found${hint}` : `exec: ${error.message}`));
    });
    child.on('close', (code, signal) => {
      if (length > outputBytesMax) reject(new Error(`exec: ${command} printed more than ${outputBytesMax} bytes`));
      else if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else if (signal) reject(new Error(`exec: executable ${command} was ended by ${signal}`));
      else reject(new Error(`exec: executable ${command} failed with exit code ${code}`));
    });
  });
}
