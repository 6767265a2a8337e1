import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '@kubernode/machinery';
import { releaseProgramPages } from './program-pages.ts';

/** How often is looked. */
const intervalMs = 10_000;
/** Busier than this share of a core, the process is left alone. */
const quietShareMax = 0.05;
/** Less than this is not worth a collection. */
const growthBytesMin = 16 * 1024 * 1024;
/** Beyond, the pause of a collection would be felt. */
const heapBytesMax = 256 * 1024 * 1024;

/** The process as the system and V8 see it. */
export interface OwnMemory {
  /** Without the pages of files, which are released as well, and come back as they are used. */
  residentBytes(): number;
  heapBytes(): number;
  /** Processor time of all threads until now. */
  computedMs(): number;
  /** Collects all garbage, and gives back to the system what is free then. */
  collect(): void;
}

/**
 * Gives memory back to the system once a load (the start is one) is over: V8 keeps its heap as large as the load made it, as
 * long as nothing happens. Answers the way to stop.
 */
export function releaseIdleMemory(clock: Clock, memory: OwnMemory = ownMemory()): () => void {
  let released = memory.residentBytes() - growthBytesMin;
  let before = memory.computedMs();
  let cancel = clock.after(intervalMs, look);
  function look(): void {
    cancel = clock.after(intervalMs, look);
    const used = memory.computedMs() - before;
    before += used;
    if (used >= intervalMs * quietShareMax || memory.residentBytes() - released < growthBytesMin) return;
    if (memory.heapBytes() > heapBytesMax) return;
    memory.collect();
    released = memory.residentBytes();
    // The collection itself is not counted as work.
    before = memory.computedMs();
  }
  return () => cancel();
}

export function ownMemory(): OwnMemory {
  let collector: Collect | undefined;
  return {
    residentBytes: ownPagesBytes,
    heapBytes: () => process.memoryUsage().heapUsed,
    computedMs() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    collect() {
      collector ??= v8Collector();
      collector({ type: 'major', flavor: 'last-resort' });
      releaseProgramPages();
    },
  };
}

function ownPagesBytes(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss();
  return anonymousBytes(readFileSync('/proc/self/status', 'latin1')) ?? process.memoryUsage.rss();
}

/** As proc(5) describes `status`; undefined where the system does not count them, as gVisor does not. */
export function anonymousBytes(status: string): number | undefined {
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void;

/** V8's own function, which programs are given only when they ask for it. */
function v8Collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
