import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { memoryStore, openSqliteStore, prefixRange, type Store } from '@kubernode/store';

/** How fast the stores are; `--dir` names the disk to measure. Figures of a shared machine: compare ratios. */
const { values } = parseArgs({ options: { dir: { type: 'string', default: tmpdir() } } });
const valueBytes = 1_024;
const durationMs = 1_500;

async function writesPerSecond(store: Store, writers: number): Promise<{ rate: number; p50Ms: number; p99Ms: number }> {
  const value = new Uint8Array(valueBytes);
  const latencies: number[] = [];
  const until = performance.now() + durationMs;
  const start = performance.now();
  const write = async (writer: number) => {
    for (let i = 0; performance.now() < until; i++) {
      const began = performance.now();
      await store.write([{ key: `/w/${writer}/${i}`, value, expect: 'absent' }]);
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  const rate = (latencies.length / (performance.now() - start)) * 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { rate, p50Ms: at(0.5), p99Ms: at(0.99) };
}

async function listMs(store: Store): Promise<number> {
  const value = new Uint8Array(2_048);
  for (let i = 0; i < 10_000; i += 500) {
    const changes = Array.from({ length: 500 }, (_, j) => ({ key: `/l/${i + j}`, value, expect: 'any' as const }));
    await store.write(changes);
  }
  const samples: number[] = [];
  for (let i = 0; i < 5; i++) {
    const began = performance.now();
    const { entries } = await store.list(prefixRange('/l/'));
    samples.push(performance.now() - began);
    if (entries.length !== 10_000) throw new Error(`list: ${entries.length} entries, expected 10000`);
  }
  return samples.toSorted((a, b) => a - b)[2]!;
}

async function measure(name: string, open: () => Promise<Store>) {
  const row: Record<string, string> = { store: name };
  const list = await open();
  row['list of 10k × 2 KB'] = `${(await listMs(list)).toFixed(1)} ms`;
  await list.close();
  for (const writers of [1, 64]) {
    const store = await open();
    const { rate, p50Ms, p99Ms } = await writesPerSecond(store, writers);
    row[`writes/s, ${writers} writers`] = Math.round(rate).toLocaleString('en');
    row[`p50/p99 ms, ${writers} writers`] = `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}`;
    await store.close();
  }
  return row;
}

const directory = mkdtempSync(join(values.dir, 'kubernode-bench-'));
try {
  let files = 0;
  console.table([
    // SQLite first: what the other leaves to the garbage collector would be counted here.
    await measure('SQLite', () => openSqliteStore({ path: join(directory, `${files++}.db`) })),
    await measure('memory', async () => memoryStore()),
  ]);
} finally {
  rmSync(directory, { recursive: true });
}
