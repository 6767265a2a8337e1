/**
 * A mixed load at a steady size for as long as wanted: what a server holds must not grow with the time that it runs.
 * Prints every ten seconds what it holds, and fails where that grew over the second half by more than the bounds below.
 *
 * Usage: npm run bench -- endurance [--minutes N] [--rate REQUESTS_A_SECOND]
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startMixedLoad } from './lib/mixed-load.ts';
import { ask } from './lib/load.ts';
import { residentMB, startOwnServer, type OwnServer } from './lib/server.ts';
import { slopeOf } from './lib/slope.ts';

interface Sample {
  readonly minutes: number;
  readonly rssMB: number;
  readonly heapMB: number;
  readonly descriptors: number;
  readonly databaseMB: number;
  readonly objects: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

const sampleMs = 10_000;
/** What is forgotten in five minutes otherwise; so that a short run sees it many times. */
const flags = ['--etcd-compaction-interval=20s', '--event-ttl=30s'];
/** How much may be added in a minute, over the second half of the samples. How many objects there are is the load's. */
const growthMax: Partial<Record<keyof Sample, number>> = {
  rssMB: 3,
  heapMB: 1.5,
  descriptors: 0.5,
  databaseMB: 0.3,
};

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, rate: { type: 'string', default: '80' } },
});
const minutes = Number(values.minutes);
const heapFile = join(tmpdir(), `kubernode-heap-${process.pid}`);
process.env['KUBERNODE_HEAP_FILE'] = heapFile;
const probe = join(import.meta.dirname, 'lib/heap-probe.ts');
const server = await startOwnServer(['--expose-gc', '--import', probe], flags);
const samples: Sample[] = [];
const load = await startMixedLoad(server, Number(values.rate));
const startedMs = performance.now();
try {
  console.log('  minute  RSS MB  heap MB  fds  database MB  objects  requests/s  p99 ms');
  while (performance.now() - startedMs < minutes * 60_000) {
    await Promise.race([new Promise((resolve) => setTimeout(resolve, sampleMs)), load.failed]);
    samples.push(await sample(server));
    console.log(line(samples.at(-1)!));
  }
} finally {
  await load.stop();
  await server.stop();
  rmSync(heapFile, { force: true });
}
judge(samples.slice(Math.floor(samples.length / 2)));

async function sample(target: OwnServer): Promise<Sample> {
  const { text } = await ask(target, { method: 'GET', path: '/metrics' });
  const sum = (pattern: RegExp) => [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
  const files = readdirSync(target.dataDir).filter((name) => name.startsWith('state.db'));
  const bytes = files.reduce((total, name) => total + statSync(join(target.dataDir, name)).size, 0);
  return {
    minutes: (performance.now() - startedMs) / 60_000,
    rssMB: residentMB(target) ?? 0,
    heapMB: Number(readFileSync(heapFile, 'utf8')) / 2 ** 20,
    descriptors: readdirSync(`/proc/${target.pids[0]}/fd`).length,
    databaseMB: bytes / 2 ** 20,
    objects: sum(/^apiserver_resource_objects\{[^}]*\} (\S+)/gm),
    ...load.since(),
  };
}

function line(one: Sample): string {
  const cells: [number, number, number][] = [
    [one.minutes, 8, 1],
    [one.rssMB, 8, 0],
    [one.heapMB, 9, 0],
    [one.descriptors, 5, 0],
    [one.databaseMB, 13, 1],
    [one.objects, 9, 0],
    [one.perSecond, 12, 0],
    [one.p99Ms, 8, 0],
  ];
  return cells.map(([value, width, digits]) => value.toFixed(digits).padStart(width)).join('');
}

function judge(half: readonly Sample[]): void {
  for (const [what, most] of Object.entries(growthMax) as [keyof Sample, number][]) {
    const growth = slopeOf(half.map((one) => [one.minutes, one[what]]));
    const verdict = growth > most ? 'FAILED' : 'ok';
    if (growth > most) process.exitCode = 1;
    console.log(`${what}: ${growth.toFixed(2)} more a minute over the second half, at most ${most}: ${verdict}`);
  }
}
