import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { seededRandom } from '@kubernode/machinery';
import { memoryStore } from './memory.ts';
import { openSqliteStore } from './sqlite.ts';
import type { Change, Range, Store, StoreEvent } from './store.ts';

const steps = 400;
const ranges: readonly Range[] = [
  { from: '', to: '\u{10ffff}' },
  { from: '/a/', to: '/a0' },
  { from: '/b/2', to: '/b/6' },
];

/** What `run` answers, or the class of what it throws; values as text. */
async function outcome(run: () => Promise<unknown>): Promise<unknown> {
  try {
    const plain = (_: string, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString() : value);
    return JSON.parse(JSON.stringify({ value: (await run()) ?? null }, plain));
  } catch (error) {
    return (error as Error).name;
  }
}

async function eventsAfter(store: Store, range: Range, after: number): Promise<StoreEvent[]> {
  const abort = new AbortController();
  const events: StoreEvent[] = [];
  setImmediate(() => setImmediate(() => setImmediate(() => abort.abort())));
  for await (const batch of store.watch(range, after, abort.signal)) events.push(...batch);
  return events;
}

test('openSqliteStore answers as memoryStore does, whatever happens in whatever order', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'kubernode-same-'));
  const stores = [memoryStore(), await openSqliteStore({ path: join(directory, 'state.db') })];
  t.after(async () => {
    for (const store of stores) await store.close();
    rmSync(directory, { recursive: true });
  });
  const seed = Math.floor(Math.random() * 2 ** 31);
  const random = seededRandom(seed);
  const below = (n: number) => Math.floor(random() * n);
  const change = (value: string): Change => {
    const key = `/${'ab'[below(2)]}/${below(8)}`;
    const expect = (['any', 'absent', below(40) + 1] as const)[below(3)]!;
    return below(4) === 0 ? { key, expect } : { key, value: new TextEncoder().encode(value), expect };
  };
  for (let step = 0; step < steps; step++) {
    const newest = await stores[0]!.revision();
    const at = Math.max(1, newest + 1 - below(30));
    const range = ranges[below(ranges.length)]!;
    const drawn = Array.from({ length: 1 + below(3) }, () => change(`${step}`));
    const changes = [...new Map(drawn.map((one) => [one.key, one])).values()];
    const limit = 1 + below(6);
    const operations: readonly ((store: Store) => Promise<unknown>)[] = [
      (store) => store.write(changes),
      (store) => store.write(changes.map((one) => ({ ...one, expect: 'any' }))),
      (store) => store.list(range, { at, limit }),
      (store) => store.list(range, { limit }),
      (store) => store.get(changes[0]!.key, at),
      (store) => eventsAfter(store, range, at),
      (store) => store.revision(),
    ];
    const run = below(30) === 0 ? (store: Store) => store.compact(at) : operations[below(operations.length)]!;
    const [expected, actual] = [await outcome(() => run(stores[0]!)), await outcome(() => run(stores[1]!))];
    assert.deepEqual(actual, expected, `seed ${seed}, step ${step}`);
  }
});
