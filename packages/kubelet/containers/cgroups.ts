import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Pod } from '@kubernode/api/core/v1';
import type { Logger } from '@kubernode/machinery';
import { podCgroup, qosCgroup } from './cgroup-path.ts';
import { cpuQuotaUs, cpuShares, podResources } from './resources.ts';

export interface CgroupsOptions {
  /** Where cgroups are mounted: `/sys/fs/cgroup`. */
  readonly mountPoint: string;
  /** Below which `kubepods` is made: one for each cluster on this machine. */
  readonly cgroupRoot: string;
  /** 0: no limit. */
  readonly podPidsMax: number;
  readonly log: Logger;
}

/** The cgroups of pods and their classes, on cgroup v1 and v2. Containers' own ones are the runtime's. */
export class Cgroups {
  readonly #options: CgroupsOptions;
  readonly #isV2: boolean;

  constructor(options: CgroupsOptions) {
    this.#options = options;
    this.#isV2 = isCgroupV2(options.mountPoint);
  }

  path(pod: Pod): string {
    return podCgroup(this.#options.cgroupRoot, pod);
  }

  async ensurePod(pod: Pod): Promise<void> {
    const path = this.path(pod);
    const resources = podResources(pod);
    const settings = this.#isV2 ? v2Settings(resources) : v1Settings(resources);
    if (this.#options.podPidsMax > 0) settings.push(['pids', 'pids.max', String(this.#options.podPidsMax)]);
    await this.#make(path);
    for (const [controller, file, value] of settings) await this.#write(controller, path, file, value);
  }

  /** Takes the pod's cgroup away in every hierarchy; only empty ones can go, so this is tried again by the caller. */
  async removePod(path: string): Promise<void> {
    for (const root of await this.#roots()) await removeTree(join(root, path));
  }

  /** The cgroups of pods that are there, by uid. */
  async podPaths(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const [root] = await this.#roots();
    for (const qos of ['Guaranteed', 'Burstable', 'BestEffort'] as const) {
      const parent = qosCgroup(this.#options.cgroupRoot, qos);
      const names = await readdir(join(root ?? this.#options.mountPoint, parent)).catch(() => []);
      for (const name of names) if (name.startsWith('pod')) found.set(name.slice(3), join(parent, name));
    }
    return found;
  }

  async #make(path: string): Promise<void> {
    if (this.#isV2) return this.#makeV2(path);
    for (const controller of ['cpu', 'memory', 'pids']) {
      await mkdir(join(this.#options.mountPoint, controller, path), { recursive: true });
    }
  }

  /** In v2 each level has to hand its controllers on to the next one. */
  async #makeV2(path: string): Promise<void> {
    const { mountPoint } = this.#options;
    await mkdir(join(mountPoint, path), { recursive: true });
    const parents: string[] = [];
    for (let at = dirname(path); at !== '/'; at = dirname(at)) parents.unshift(at);
    for (const parent of ['/', ...parents]) {
      const dir = join(mountPoint, parent);
      const available = (await readFile(join(dir, 'cgroup.controllers'), 'utf8')).trim().split(' ');
      const wanted = ['cpu', 'memory', 'pids', 'cpuset', 'io'].filter((name) => available.includes(name));
      await writeFile(join(dir, 'cgroup.subtree_control'), wanted.map((name) => `+${name}`).join(' ')).catch(
        (error: unknown) => this.#options.log.debug('controllers not handed on', { dir, error: String(error) }),
      );
    }
  }

  async #write(controller: string, path: string, file: string, value: string): Promise<void> {
    const dir = this.#isV2 ? join(this.#options.mountPoint, path) : join(this.#options.mountPoint, controller, path);
    try {
      await writeFile(join(dir, file), value);
    } catch (error) {
      this.#options.log.warn('cgroup setting refused', { dir, file, value, error: String(error) });
    }
  }

  #roots(): Promise<readonly string[]> {
    return hierarchies(this.#options.mountPoint, this.#isV2);
  }
}

/** Version 2 alone; beside version 1 (hybrid) it has no controllers. */
export function isCgroupV2(mountPoint: string): boolean {
  return existsSync(join(mountPoint, 'cgroup.controllers'));
}

/** Takes away all pods' cgroups below a root, and the root itself unless it is everybody's; what still runs stays. */
export async function removePodCgroups(cgroupRoot: string, mountPoint = '/sys/fs/cgroup'): Promise<void> {
  for (const root of await hierarchies(mountPoint, isCgroupV2(mountPoint))) {
    await removeTree(join(root, cgroupRoot, 'kubepods'));
    if (join('/', cgroupRoot) !== '/') await removeTree(join(root, cgroupRoot));
  }
}

/** Where cgroups are: one tree in v2, one for each controller in v1. */
async function hierarchies(mountPoint: string, isV2: boolean): Promise<readonly string[]> {
  if (isV2) return [mountPoint];
  const names = await readdir(mountPoint).catch(() => []);
  return ['cpu', ...names.filter((name) => name !== 'cpu')].map((name) => join(mountPoint, name));
}

type Setting = [controller: string, file: string, value: string];

function v1Settings({
  cpuRequestMilli,
  cpuLimitMilli,
  cpuLimited,
  memoryLimitBytes,
  memoryLimited,
}: ReturnType<typeof podResources>) {
  const settings: Setting[] = [['cpu', 'cpu.shares', String(cpuShares(cpuRequestMilli))]];
  if (cpuLimited) settings.push(['cpu', 'cpu.cfs_quota_us', String(cpuQuotaUs(cpuLimitMilli) || -1)]);
  if (memoryLimited) settings.push(['memory', 'memory.limit_in_bytes', String(memoryLimitBytes || -1)]);
  return settings;
}

function v2Settings({
  cpuRequestMilli,
  cpuLimitMilli,
  cpuLimited,
  memoryLimitBytes,
  memoryLimited,
}: ReturnType<typeof podResources>) {
  const settings: Setting[] = [['cpu', 'cpu.weight', String(cpuWeight(cpuShares(cpuRequestMilli)))]];
  const quota = cpuLimited && cpuLimitMilli > 0 ? `${cpuQuotaUs(cpuLimitMilli)} 100000` : 'max';
  settings.push(['cpu', 'cpu.max', quota]);
  if (memoryLimited) settings.push(['memory', 'memory.max', memoryLimitBytes > 0 ? String(memoryLimitBytes) : 'max']);
  return settings;
}

/** cpu.shares [2, 262144] onto cpu.weight [1, 10000] (KEP 2254). */
export function cpuWeight(shares: number): number {
  return 1 + Math.floor(((shares - 2) * 9999) / 262142);
}

/** Only folders can be removed here; a cgroup that still has a process stays. */
async function removeTree(dir: string): Promise<void> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(dir, entry.name));
  await rmdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'EBUSY' && error.code !== 'ENOTDIR') throw error;
  });
}
