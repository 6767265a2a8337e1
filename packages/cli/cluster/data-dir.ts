import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../terminal/user-error.ts';

/** Everything that a cluster keeps on this machine lives in one folder. */
export interface DataDir {
  readonly path: string;
  /** Six hexadecimal digits of the path: names links, tables and cgroups, so that clusters live side by side. */
  readonly id: string;
  readonly database: string;
  readonly pki: string;
  readonly kubeconfig: string;
  readonly logFile: string;
  readonly runtimeRoot: string;
  readonly kubeletRoot: string;
  readonly networkState: string;
  /** Names that other tools see. */
  readonly bridge: string;
  readonly bridgeTable: string;
  readonly serviceTable: string;
  readonly cgroupRoot: string;
  readonly podLogs: string;
  settings(): ClusterSettings | undefined;
  saveSettings(settings: ClusterSettings): void;
}

/** What was decided at the first start and must not change under the objects that are stored. */
export interface ClusterSettings {
  readonly formatVersion: 1;
  readonly clusterCidr: string;
  readonly serviceRange: string;
  readonly securePort: number;
  readonly nodeName: string;
}

export const defaultDataDir = process.env['KUBERNODE_DATA_DIR'] ?? '/var/lib/kubernode';

/** Throws UserError where the folder cannot be made or written. */
export function openDataDir(path: string): DataDir {
  try {
    mkdirSync(path, { recursive: true, mode: 0o755 });
    for (const folder of ['pki', 'run', 'log', 'agent'])
      mkdirSync(join(path, folder), { recursive: true, mode: 0o700 });
    chmodSync(join(path, 'log'), 0o755);
  } catch (error) {
    const remedy = 'Choose another folder with --data-dir, or run as root.';
    throw new UserError(`Cannot use the data folder ${path}: ${(error as Error).message}`, remedy, { cause: error });
  }
  return dataDirAt(path);
}

/** The same without making anything; undefined where there is no cluster. */
export function existingDataDir(path: string): DataDir | undefined {
  return existsSync(join(path, 'run')) ? dataDirAt(path) : undefined;
}

function dataDirAt(given: string): DataDir {
  const path = realpathSync(given);
  const id = createHash('sha256').update(path).digest('hex').slice(0, 6);
  const settingsFile = join(path, 'cluster.json');
  return {
    path,
    id,
    database: join(path, 'state.db'),
    pki: join(path, 'pki'),
    kubeconfig: join(path, 'kubeconfig'),
    logFile: join(path, 'log', 'kubernode.log'),
    runtimeRoot: join(path, 'agent', 'runtime'),
    kubeletRoot: join(path, 'agent', 'kubelet'),
    networkState: join(path, 'agent', 'network'),
    bridge: `kn-${id}`,
    bridgeTable: `kubernode-${id}-pods`,
    serviceTable: `kubernode-${id}-services`,
    cgroupRoot: `/kubernode-${id}`,
    podLogs: join(path, 'log', 'pods'),
    settings: () => readSettings(settingsFile),
    saveSettings: (settings) => writeFileSync(settingsFile, `${JSON.stringify(settings, undefined, 2)}\n`),
  };
}

function readSettings(file: string): ClusterSettings | undefined {
  if (!existsSync(file)) return undefined;
  let settings: Partial<ClusterSettings>;
  try {
    settings = JSON.parse(readFileSync(file, 'utf8')) as Partial<ClusterSettings>;
  } catch (error) {
    throw new UserError(
      `${file} is not valid JSON: ${(error as Error).message}`,
      'Restore it, or remove the cluster with: kubernode reset',
      {
        cause: error,
      },
    );
  }
  if (settings.formatVersion !== 1) {
    throw new UserError(
      `${file} has formatVersion ${JSON.stringify(settings.formatVersion)}, this Kubernode knows 1.`,
      'The cluster was made by a newer Kubernode: use that one, or another --data-dir.',
    );
  }
  return settings as ClusterSettings;
}
