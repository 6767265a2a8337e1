import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { isReason, type Transport, type WatchEvent } from '@kubernode/api';
import type { ConfigMap } from '@kubernode/api/core/v1';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore, type Store } from '@kubernode/store';
import { startApiServer } from '../server.ts';
import { guardedStore } from './guarded-store.ts';
import { WatchCache } from './watch-cache.ts';

const path = '/api/v1/namespaces/default/configmaps';

/** A server on the store of another one that is gone. */
async function startOn(t: TestContext, store: Store): Promise<Transport> {
  const server = await startApiServer({
    store,
    clock: new FakeClock(),
    log: silentLogger,
    random: seededRandom(1),
    compactionIntervalMs: 0,
  });
  t.after(() => server.stop());
  return server.transport('system:admin');
}

async function put(transport: Transport, name: string, on: string): Promise<string> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { on } } };
  const query = { fieldManager: 'test', force: true };
  const request = { method: 'PATCH', path: `${path}/${name}`, query, body, contentType: apply } as const;
  return (await transport.request<ConfigMap>(request)).metadata.resourceVersion ?? '';
}
const apply = 'application/apply-patch+yaml';

async function watch(
  transport: Transport,
  resourceVersion: string,
  count: number,
  labelSelector = '',
): Promise<string[]> {
  const abort = new AbortController();
  const seen: string[] = [];
  const query = { watch: true, resourceVersion, labelSelector };
  for await (const batch of transport.watch<ConfigMap>({ method: 'GET', path, query, signal: abort.signal })) {
    for (const event of batch) seen.push(told(event));
    if (seen.length >= count) abort.abort();
  }
  return seen;
}
const told = ({ type, object: { metadata } }: WatchEvent<ConfigMap>) =>
  `${type} ${metadata.name} ${metadata.resourceVersion}`;

test('Past.recall: a watch goes on where it was before the server was started anew', async (t) => {
  const store = memoryStore();
  const first = await startOn(t, store);
  const [, second, third] = [await put(first, 'a', 'yes'), await put(first, 'a', 'no'), await put(first, 'b', 'yes')];
  const { metadata } = await first.request<ConfigMap>({ method: 'GET', path: `${path}/a` });
  await first.request({ method: 'DELETE', path: `${path}/b` });
  const deleted = String(Number(third) + 1);
  const again = await startOn(t, store);
  const before = String(Number(second) - 1);
  const expected = [`MODIFIED a ${second}`, `ADDED b ${third}`, `DELETED b ${deleted}`];
  assert.deepEqual(await watch(again, before, 3), expected);
  assert.deepEqual(await watch(again, String(metadata.resourceVersion), 2), expected.slice(1));
  const selected = [`DELETED a ${second}`, `ADDED b ${third}`, `DELETED b ${deleted}`];
  assert.deepEqual(await watch(again, before, 3, 'on=yes'), selected);
  const present = watch(again, third, 2);
  const fourth = await put(again, 'c', 'yes');
  assert.deepEqual(await present, [`DELETED b ${deleted}`, `ADDED c ${fourth}`]);
});

test('Past.recall: who was before the compaction is told so, and lists', async (t) => {
  const store = memoryStore();
  const first = await startOn(t, store);
  const version = await put(first, 'a', 'yes');
  await put(first, 'a', 'no');
  await store.compact(Number(await put(first, 'b', 'yes')));
  const again = await startOn(t, store);
  await assert.rejects(watch(again, version, 1), (error) => isReason(error, 'Expired'));
});

test('Past.recall reads once for all who come back from too far', async (t) => {
  const memory = memoryStore();
  const key = '/registry/core/pods/a/b';
  const value = Buffer.from(`{"metadata":{"resourceVersion":"0"},"data":"${'x'.repeat(3_000_000)}"}`);
  const revisions: number[] = [];
  for (let count = 0; count < 16; count += 1) {
    revisions.push((await memory.write([{ key, value, expect: 'any' }])).revision);
  }
  let reads = 0;
  const store: Store = {
    ...guardedStore(memory, silentLogger),
    changes(range, after, upTo) {
      reads += 1;
      return memory.changes(range, after, upTo);
    },
  };
  const watchCache = new WatchCache({ store, clock: new FakeClock(), log: silentLogger });
  await watchCache.start();
  t.after(() => watchCache.stop());
  const cache = watchCache.of('/registry/core/pods/');
  const [first = 0, second = 0] = revisions;
  await Promise.all([second, second, first, second].map((revision) => watchCache.recall(cache, revision)));
  assert.equal(reads, 1);
  assert.equal(cache.history.after(second), undefined);
  const late = revisions.at(-3)!;
  await watchCache.recall(cache, late);
  assert.equal(cache.history.after(late)?.length, 2);
  assert.equal(reads, 2);
});
