import type { CriInit } from '@kubernode/api/cri';
import type { Clock } from '@kubernode/machinery';
import type { Containers } from './containers/containers.ts';
import type { ContainerRecord } from './containers/record.ts';
import { nanoseconds } from './context.ts';
import type { CgroupUsage, Cgroups } from './host/cgroups.ts';
import { runAny } from './host/command.ts';
import { readText } from './host/files.ts';
import { createLimit } from './host/limit.ts';
import type { SandboxRecord } from './sandboxes/record.ts';
import type { Sandboxes } from './sandboxes/sandboxes.ts';

/** Counting the files of a writable layer is dear: a count serves this long. */
const layerUsageAgeMs = 30_000;

interface LayerUsage {
  readonly atMs: number;
  readonly bytes: number;
  readonly inodes: number;
}

/** What containers and sandboxes use, read from their cgroups when asked. */
export class Stats {
  readonly #parts: { clock: Clock; cgroups: Cgroups; containers: Containers; sandboxes: Sandboxes };
  readonly #layers = new Map<string, LayerUsage>();
  readonly #lastCpu = new Map<string, { atMs: number; nanoseconds: number }>();
  readonly #limit = createLimit(1);

  constructor(parts: { clock: Clock; cgroups: Cgroups; containers: Containers; sandboxes: Sandboxes }) {
    this.#parts = parts;
  }

  async container(record: ContainerRecord): Promise<CriInit<'ContainerStats'>> {
    const { labels, annotations, metadata } = record.config;
    const usage = record.life === 'running' ? await this.#parts.cgroups.usage(record.cgroupsPath) : undefined;
    const layer = await this.#layer(record);
    const folder = this.#parts.containers.dataFolder(record.id);
    return {
      attributes: { id: record.id, metadata, labels, annotations },
      ...this.#cpuAndMemory(record.id, usage),
      writableLayer: {
        timestamp: nanoseconds(layer.atMs),
        fsId: { mountpoint: folder },
        usedBytes: { value: layer.bytes },
        inodesUsed: { value: layer.inodes },
      },
    };
  }

  async sandbox(record: SandboxRecord): Promise<CriInit<'PodSandboxStats'>> {
    const { labels, annotations, metadata } = record.config;
    const own = this.#parts.containers
      .list()
      .filter(({ sandboxId, life }) => sandboxId === record.id && life === 'running');
    const containers = await Promise.all(own.map((container) => this.container(container)));
    const usage = await this.#parts.cgroups.usage(this.#parts.sandboxes.cgroupParent(record));
    const timestamp = this.#now();
    return {
      attributes: { id: record.id, metadata, labels, annotations },
      linux: {
        ...this.#cpuAndMemory(record.id, usage),
        network: await this.#network(record, own[0]),
        process: { timestamp, processCount: { value: usage?.processes ?? 0 } },
        containers,
      },
    };
  }

  #cpuAndMemory(id: string, usage: CgroupUsage | undefined): Pick<CriInit<'ContainerStats'>, 'cpu' | 'memory'> {
    if (!usage) return {};
    const timestamp = this.#now();
    const { memoryLimitBytes, workingSetBytes } = usage;
    return {
      cpu: {
        timestamp,
        usageCoreNanoSeconds: { value: usage.cpuNanoseconds },
        usageNanoCores: { value: this.#cpuRate(id, usage.cpuNanoseconds) },
      },
      memory: {
        timestamp,
        workingSetBytes: { value: workingSetBytes },
        availableBytes: { value: memoryLimitBytes > 0 ? Math.max(0, memoryLimitBytes - workingSetBytes) : 0 },
        usageBytes: { value: usage.memoryBytes },
        rssBytes: { value: usage.rssBytes },
        pageFaults: { value: usage.pageFaults },
        majorPageFaults: { value: usage.majorPageFaults },
      },
    };
  }

  /** Over the time since somebody last asked; 0 the first time. */
  #cpuRate(id: string, used: number): number {
    const atMs = this.#parts.clock.now();
    const last = this.#lastCpu.get(id);
    if (last && atMs <= last.atMs) return 0;
    this.#lastCpu.set(id, { atMs, nanoseconds: used });
    if (!last || used < last.nanoseconds) return 0;
    return Math.round(((used - last.nanoseconds) / (atMs - last.atMs)) * 1000);
  }

  forget(id: string): void {
    this.#lastCpu.delete(id);
    this.#layers.delete(id);
  }

  /** The network namespace's counters, seen through a process that lives in it. */
  async #network(
    record: SandboxRecord,
    member: ContainerRecord | undefined,
  ): Promise<CriInit<'NetworkUsage'> | undefined> {
    const pid = record.pause?.pid ?? member?.process?.pid;
    if (pid === undefined || !record.namespaces.includes('net')) return undefined;
    const interfaces = parseInterfaces(await readText(`/proc/${pid}/net/dev`));
    const [defaultInterface, ...more] = interfaces;
    return { timestamp: this.#now(), defaultInterface, interfaces: more };
  }

  async #layer(record: ContainerRecord): Promise<LayerUsage> {
    const known = this.#layers.get(record.id);
    const atMs = this.#parts.clock.now();
    if (known && atMs - known.atMs < layerUsageAgeMs) return known;
    const folder = `${this.#parts.containers.dataFolder(record.id)}/upper`;
    const count = (flag: string) => this.#limit(() => runAny('du', ['-sx', flag, folder]));
    const [bytes, inodes] = await Promise.all([count('-B1'), count('--inodes')]);
    const usage = {
      atMs,
      bytes: Number.parseInt(String(bytes.stdout)) || 0,
      inodes: Number.parseInt(String(inodes.stdout)) || 0,
    };
    this.#layers.set(record.id, usage);
    return usage;
  }

  #now(): number {
    return nanoseconds(this.#parts.clock.now());
  }
}

/** /proc/<pid>/net/dev without loopback: received bytes and errors, then the same sent. */
function parseInterfaces(text: string): CriInit<'NetworkInterfaceUsage'>[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', counters] = line.split(':');
    const values = counters?.trim().split(/\s+/).map(Number);
    if (!values || name.trim() === 'lo') return [];
    const [rxBytes = 0, , rxErrors = 0, , , , , , txBytes = 0, , txErrors = 0] = values;
    return [
      {
        name: name.trim(),
        rxBytes: { value: rxBytes },
        rxErrors: { value: rxErrors },
        txBytes: { value: txBytes },
        txErrors: { value: txErrors },
      },
    ];
  });
}
