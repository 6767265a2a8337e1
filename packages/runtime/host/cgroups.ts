import { readFile, readdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readText } from './files.ts';
import { removeEmptyFolder } from './mounts.ts';

const cgroupRoot = '/sys/fs/cgroup';
/** statfs(2): CGROUP2_SUPER_MAGIC. */
const cgroup2Magic = 0x6367_7270;

/** `hybrid`: the controllers are version 1's, with version 2 mounted beside them without any. */
export type CgroupLayout = 'v1' | 'hybrid' | 'v2';

export async function cgroupLayout(): Promise<CgroupLayout> {
  const isV2 = async (path: string) =>
    statfs(path).then(
      ({ type }) => type === cgroup2Magic,
      () => false,
    );
  if (await isV2(cgroupRoot)) return 'v2';
  return (await isV2(join(cgroupRoot, 'unified'))) ? 'hybrid' : 'v1';
}

export interface CgroupUsage {
  readonly cpuNanoseconds: number;
  readonly memoryBytes: number;
  readonly workingSetBytes: number;
  readonly rssBytes: number;
  /** 0 where there is no limit. */
  readonly memoryLimitBytes: number;
  readonly pageFaults: number;
  readonly majorPageFaults: number;
  readonly processes: number;
}

/** A limit above this is none: version 1 says so by a number near 2^63. */
const limitBytesMax = 2 ** 60;

/** Reads and removes cgroups by their path below the mount, whichever version they are. */
export class Cgroups {
  readonly version: 1 | 2;
  readonly #folders: readonly string[];

  private constructor(version: 1 | 2, folders: readonly string[]) {
    this.version = version;
    this.#folders = folders;
  }

  static async detect(layout: CgroupLayout): Promise<Cgroups> {
    if (layout === 'v2') return new Cgroups(2, [cgroupRoot]);
    const entries = await readdir(cgroupRoot, { withFileTypes: true });
    // Symbolic links (cpu → cpu,cpuacct) lead to folders that are listed themselves.
    return new Cgroups(
      1,
      entries.filter((entry) => entry.isDirectory()).map((entry) => join(cgroupRoot, entry.name)),
    );
  }

  /** What the processes of the cgroup use; undefined where it is gone. */
  async usage(path: string): Promise<CgroupUsage | undefined> {
    try {
      return this.version === 2 ? await this.#usage2(path) : await this.#usage1(path);
    } catch {
      return undefined;
    }
  }

  /** How often the kernel killed a process of the cgroup for want of memory. */
  async oomKills(path: string): Promise<number> {
    const [controller, file] = this.version === 2 ? ['', 'memory.events'] : ['memory', 'memory.oom_control'];
    return numberAt(await readText(join(cgroupRoot, controller ?? '', path, file ?? '')).catch(() => ''), 'oom_kill');
  }

  async processes(path: string): Promise<number[]> {
    const controller = this.version === 2 ? '' : 'pids';
    const text = await readText(join(cgroupRoot, controller, path, 'cgroup.procs')).catch(() => '');
    return text.split('\n').filter(Boolean).map(Number);
  }

  /** The outermost ancestor of `path` (itself included) that does not exist yet in any hierarchy. */
  async missingAncestor(path: string): Promise<string | undefined> {
    let missing: string | undefined;
    for (let current = path; current !== '/' && current !== '.'; current = dirname(current)) {
      const known = await Promise.all(this.#folders.map((folder) => exists(join(folder, current))));
      if (known.some(Boolean)) break;
      missing = current;
    }
    return missing;
  }

  /** Removes a cgroup, and the ones below it, where they hold no process. */
  async remove(path: string): Promise<void> {
    for (const folder of this.#folders) await removeTree(join(folder, path));
  }

  async #usage1(path: string): Promise<CgroupUsage> {
    const read = (controller: string, file: string) => readFile(join(cgroupRoot, controller, path, file), 'utf8');
    const [cpu, memory, stat, limit, pids] = await Promise.all([
      read('cpuacct', 'cpuacct.usage'),
      read('memory', 'memory.usage_in_bytes'),
      read('memory', 'memory.stat'),
      read('memory', 'memory.limit_in_bytes'),
      read('pids', 'pids.current').catch(() => '0'),
    ]);
    return {
      cpuNanoseconds: Number(cpu),
      memoryBytes: Number(memory),
      workingSetBytes: Math.max(0, Number(memory) - numberAt(stat, 'total_inactive_file')),
      rssBytes: numberAt(stat, 'total_rss'),
      memoryLimitBytes: Number(limit) > limitBytesMax ? 0 : Number(limit),
      pageFaults: numberAt(stat, 'total_pgfault'),
      majorPageFaults: numberAt(stat, 'total_pgmajfault'),
      processes: Number(pids),
    };
  }

  async #usage2(path: string): Promise<CgroupUsage> {
    const read = (file: string) => readFile(join(cgroupRoot, path, file), 'utf8');
    const [cpu, memory, stat, limit, pids] = await Promise.all([
      read('cpu.stat'),
      read('memory.current').catch(() => '0'),
      read('memory.stat').catch(() => ''),
      read('memory.max').catch(() => 'max'),
      read('pids.current').catch(() => '0'),
    ]);
    return {
      cpuNanoseconds: numberAt(cpu, 'usage_usec') * 1000,
      memoryBytes: Number(memory),
      workingSetBytes: Math.max(0, Number(memory) - numberAt(stat, 'inactive_file')),
      rssBytes: numberAt(stat, 'anon'),
      memoryLimitBytes: limit.trim() === 'max' ? 0 : Number(limit),
      pageFaults: numberAt(stat, 'pgfault'),
      majorPageFaults: numberAt(stat, 'pgmajfault'),
      processes: Number(pids),
    };
  }
}

async function exists(path: string): Promise<boolean> {
  return readdir(path).then(
    () => true,
    () => false,
  );
}

async function removeTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(folder, entry.name));
  await removeEmptyFolder(folder);
}

function numberAt(text: string, key: string): number {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${key} `));
  return line === undefined ? 0 : Number(line.slice(key.length + 1));
}
