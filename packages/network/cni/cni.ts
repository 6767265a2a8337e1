import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand, type RunCommand } from '../command.ts';
import type { PodAttachment, PodNetwork } from '@kubernode/api/cri';

/** A network configuration list (CNI specification 1.0.0, section 1). */
export interface CniConfig {
  readonly cniVersion: string;
  readonly name: string;
  readonly plugins: readonly PluginConfig[];
}

interface PluginConfig {
  readonly type: string;
  readonly capabilities?: Readonly<Record<string, boolean>>;
}

interface CniResult {
  readonly ips?: readonly { readonly address: string }[];
}

export interface CniOptions {
  readonly config: CniConfig;
  /** Folders with plugin programs, searched in order. */
  readonly binaryFolders: readonly string[];
  /** Results of ADD are kept here, as DEL needs them. */
  readonly stateFolder: string;
  readonly run?: RunCommand;
}

/** The configurations of a folder in the order of their file names; the first one is the cluster's network. */
export function readCniConfigs(folder: string): CniConfig[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder)
    .filter((name) => /\.(conflist|conf|json)$/.test(name))
    .sort();
  return files.map((name) => readConfig(join(folder, name)));
}

function readConfig(path: string): CniConfig {
  let parsed: Partial<CniConfig> & Partial<PluginConfig>;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8')) as typeof parsed;
  } catch (error) {
    throw new Error(`CNI configuration ${path} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
  const { name, cniVersion = '0.2.0', plugins, type } = parsed;
  if (!name) throw new Error(`CNI configuration ${path} has no "name"`);
  if (plugins) return { name, cniVersion, plugins };
  if (!type) throw new Error(`CNI configuration ${path} has neither "plugins" nor "type"`);
  return { name, cniVersion, plugins: [parsed as PluginConfig] };
}

/** Joins pods by running CNI plugins: ADD down the list, each handed the result before it; DEL up the list. */
export function openCniNetwork(options: CniOptions): PodNetwork {
  const { config, stateFolder } = options;
  const run = options.run ?? runCommand;
  mkdirSync(stateFolder, { recursive: true });
  const resultPath = (pod: PodAttachment) => join(stateFolder, `${config.name}-${pod.sandboxId}.json`);
  const readResult = (pod: PodAttachment): CniResult | undefined =>
    existsSync(resultPath(pod)) ? (JSON.parse(readFileSync(resultPath(pod), 'utf8')) as CniResult) : undefined;

  const invoke = async (command: 'ADD' | 'DEL', plugin: PluginConfig, pod: PodAttachment, previous?: CniResult) => {
    const folder = options.binaryFolders.find((candidate) => existsSync(join(candidate, plugin.type)));
    if (!folder) throw new Error(`CNI plugin "${plugin.type}" is in none of ${options.binaryFolders.join(', ')}`);
    const input = JSON.stringify({
      ...plugin,
      name: config.name,
      cniVersion: config.cniVersion,
      ...runtimeConfig(plugin, pod),
      ...(previous ? { prevResult: previous } : {}),
    });
    const env = environment(command, pod, options.binaryFolders);
    return run(join(folder, plugin.type), [], { input, env });
  };

  const detach = async (pod: PodAttachment) => {
    const result = readResult(pod);
    for (const plugin of config.plugins.toReversed()) await invoke('DEL', plugin, pod, result);
    rmSync(resultPath(pod), { force: true });
  };

  /** What failed is told, not what undoing it met: every plugin gets its chance. */
  const undo = async (pod: PodAttachment) => {
    for (const plugin of config.plugins.toReversed()) await invoke('DEL', plugin, pod).catch(() => {});
  };

  return {
    async attach(pod) {
      const known = readResult(pod);
      if (known) return { ips: addressesOf(known) };
      let result: CniResult | undefined;
      try {
        for (const plugin of config.plugins) result = JSON.parse(await invoke('ADD', plugin, pod, result)) as CniResult;
      } catch (error) {
        await undo(pod);
        throw error;
      }
      writeFileSync(resultPath(pod), JSON.stringify(result ?? {}));
      return { ips: addressesOf(result ?? {}) };
    },
    detach,
  };
}

const addressesOf = (result: CniResult) => (result.ips ?? []).map(({ address }) => address.split('/')[0] ?? '');

function runtimeConfig(plugin: PluginConfig, pod: PodAttachment): object {
  if (!plugin.capabilities?.['portMappings'] || !pod.portMappings?.length) return {};
  const portMappings = pod.portMappings.map((mapping) => ({
    hostPort: mapping.hostPort,
    containerPort: mapping.containerPort,
    protocol: mapping.protocol.toLowerCase(),
    hostIP: mapping.hostIp ?? '',
  }));
  return { runtimeConfig: { portMappings } };
}

function environment(command: string, { sandboxId, netnsPath, pod }: PodAttachment, folders: readonly string[]) {
  const args = { IgnoreUnknown: 1, K8S_POD_NAMESPACE: pod.namespace, K8S_POD_NAME: pod.name, K8S_POD_UID: pod.uid };
  return {
    CNI_COMMAND: command,
    CNI_CONTAINERID: sandboxId,
    CNI_NETNS: netnsPath,
    CNI_IFNAME: 'eth0',
    CNI_PATH: folders.join(':'),
    CNI_ARGS: Object.entries({ ...args, K8S_POD_INFRA_CONTAINER_ID: sandboxId })
      .map(([key, value]) => `${key}=${value}`)
      .join(';'),
  };
}
