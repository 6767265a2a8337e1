import { createHash } from 'node:crypto';
import {
  existsSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
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
  /** No cluster has been started here yet. */
  isNew(): boolean;
  /** Takes away what a first start made, the folder too, but keeps a log that says why it failed. */
  clear(): void;
  /** Takes away all of it; what somebody else put there stays. */
  remove(): void;
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

/** All that a cluster puts into its folder. */
const ownNames: readonly string[] = [
  'agent',
  'cluster.json',
  'cluster.json.new',
  'kubeconfig',
  'kubeconfig.new',
  'log',
  'pki',
  'run',
  'state.db',
  'state.db-journal',
  'state.db-shm',
  'state.db-wal',
  'state.db.lock',
  'state.db.lock-journal',
  'state.db.pid',
];
/** An empty file system has it. */
const harmlessNames: readonly string[] = ['lost+found'];

/** What stands in a folder; undefined where there is no cluster, and never was one. */
export function existingDataDir(path: string): DataDir | undefined {
  if (existsSync(join(path, 'cluster.json'))) return dataDirAt(path);
  const traces = [join(path, 'run'), join(path, 'log', 'kubernode.log')];
  return traces.some((trace) => existsSync(trace)) && foreignNames(path).length === 0 ? dataDirAt(path) : undefined;
}

/** What is no cluster's: `reset` would remove it. */
export function foreignNames(path: string): string[] {
  return readdirSync(path).filter((name) => !ownNames.includes(name) && !harmlessNames.includes(name));
}

/** `isMade`: it was made just now. */
export function dataDirAt(given: string, isMade = false): DataDir {
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
    saveSettings: (settings) => replaceFile(settingsFile, `${JSON.stringify(settings, undefined, 2)}\n`),
    isNew: () => !existsSync(settingsFile) && !existsSync(join(path, 'state.db')),
    clear() {
      removeNames(path, (name) => name !== 'log');
      rmSync(join(path, 'log', 'pods'), { recursive: true, force: true });
      for (const folder of [join(path, 'log'), ...(isMade ? [path] : [])]) removeIfEmpty(folder);
    },
    remove() {
      removeNames(path, () => true);
      removeIfEmpty(path);
    },
  };
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    // EBUSY: a file system of its own is mounted there.
    if (!['ENOTEMPTY', 'EBUSY', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function removeNames(path: string, isDue: (name: string) => boolean): void {
  for (const name of ownNames.filter(isDue)) rmSync(join(path, name), { recursive: true, force: true });
}

/** The file is there whole, old or new, whenever the process or the machine ends; written only where it changes. */
export function replaceFile(file: string, text: string, mode = 0o644): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  const partial = `${file}.new`;
  try {
    writeFileSync(partial, text, { mode, flush: true });
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

function readSettings(file: string): ClusterSettings | undefined {
  if (!existsSync(file)) return undefined;
  let settings: Partial<ClusterSettings> | null;
  try {
    settings = JSON.parse(readFileSync(file, 'utf8')) as Partial<ClusterSettings> | null;
  } catch (error) {
    throw new UserError(
      `${file} is not valid JSON: ${(error as Error).message}`,
      'Restore it, or remove the cluster with: kubernode reset',
      {
        cause: error,
      },
    );
  }
  if (settings?.formatVersion !== 1) {
    throw new UserError(
      `${file} has formatVersion ${JSON.stringify(settings?.formatVersion)}, this Kubernode knows 1.`,
      'The cluster was made by a newer Kubernode: use that one, or another --data-dir.',
    );
  }
  return settings as ClusterSettings;
}
