/**
 * How soon an API server is ready, as users start it, and how light it is when nobody asks it anything.
 * `npm run bench -- start [--rounds 5] [--objects 0] [--idle 60]`: medians of so many first and second starts on a data folder
 * (and their processor time), one start on a database of so many ConfigMaps of 2.7 KB, then the memory and the share of a core
 * of a server that has idled for a minute, over so many seconds.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seededData } from './lib/seed.ts';
import { computedMs, residentMB, startOwnServer, type OwnServer } from './lib/server.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    objects: { type: 'string', default: '0' },
    idle: { type: 'string', default: '60' },
  },
});
const kubernode = join(import.meta.dirname, '../kubernode');
/** By then the server has collected what the start left. */
const settleMs = 60_000;

interface Start {
  readonly readyMs: number;
  readonly cpuMs: number;
}

const starts: Record<'first' | 'second', Start[]> = { first: [], second: [] };
const versionMs: number[] = [];
for (let round = 0; round < Number(values.rounds); round += 1) {
  const startedMs = performance.now();
  spawnSync(kubernode, ['version']);
  versionMs.push(performance.now() - startedMs);
  const folder = await mkdtemp(join(tmpdir(), 'kubernode-bench-start-'));
  for (const which of ['first', 'second'] as const) {
    const server = await startOwnServer([], ['--data-dir', folder]);
    starts[which].push({ readyMs: server.readyMs, cpuMs: computedMs(server) ?? 0 });
    await server.stop();
  }
  rmSync(folder, { recursive: true });
}
console.log(`kubernode version: ${median(versionMs)} ms`);
for (const [which, all] of Object.entries(starts)) {
  const ready = median(all.map(({ readyMs }) => readyMs));
  console.log(`ready, ${which} start: ${ready} ms (${median(all.map(({ cpuMs }) => cpuMs))} ms of processors)`);
}
if (Number(values.objects) > 0) await startFilled(Number(values.objects));
const server = await startOwnServer();
await delay(settleMs);
const before = computedMs(server) ?? 0;
await delay(Number(values.idle) * 1000);
const share = ((computedMs(server) ?? 0) - before) / (Number(values.idle) * 10);
const memory = memoryOf(server);
console.log(`idle: ${memory.Rss} MB resident, of which ${memory.Private} MB are its own, ${memory.Pss} MB its share`);
console.log(`idle: ${share.toFixed(2)} % of a core`);
await server.stop();

async function startFilled(objects: number): Promise<void> {
  const seeded = await seededData(2_400);
  await seeded.add(0, objects);
  const { dataDir } = seeded;
  const filled = await startOwnServer([], ['--data-dir', dataDir]);
  const ready = `${Math.round(filled.readyMs)} ms (${computedMs(filled)} ms of processors)`;
  console.log(`ready, ${objects} objects: ${ready}, ${residentMB(filled)} MB resident`);
  await filled.stop();
  rmSync(dataDir, { recursive: true });
}

/** MB as the kernel counts them: pages that are shared with other processes (the program's file) are in `Rss` in full. */
function memoryOf({ pids: [pid] }: OwnServer): Readonly<Record<'Rss' | 'Pss' | 'Private', number>> {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024;
  const own = of('Private_Clean') + of('Private_Dirty');
  return { Rss: Math.round(of('Rss')), Pss: Math.round(of('Pss')), Private: Math.round(own) };
}

function median(all: readonly number[]): number {
  return Math.round(all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0);
}
