import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { decodeToken } from './continue-token.ts';
import { listAt, listNow, type ListRequest } from './list.ts';
import { WatchCache } from './watch-cache.ts';

const prefix = '/registry/core/pods/';
const everything = { namespace: '', name: '', matches: undefined };
const valueOf = (turn: number) => Buffer.from(`{"metadata":{"resourceVersion":"0"},"turn":${turn}}`);

async function startCache(t: TestContext, count: number) {
  const store = memoryStore();
  const watchCache = new WatchCache({ store, clock: new FakeClock(), log: silentLogger });
  await watchCache.start();
  t.after(() => watchCache.stop());
  const write = async (name: string, value: Buffer | undefined) => {
    const change = { key: `${prefix}a/${name}`, expect: 'any' } as const;
    const { revision } = await store.write([value ? { ...change, value } : change]);
    await watchCache.reached(revision);
    return revision;
  };
  const names = Array.from({ length: count }, (_, index) => `p-${String(index).padStart(4, '0')}`);
  let revision = 0;
  for (const name of names) revision = await write(name, valueOf(0));
  const request: ListRequest = {
    cache: watchCache.of(prefix),
    selection: everything,
    isSelective: false,
    limit: 0,
    after: '',
  };
  const at = (options: Partial<ListRequest>) => listAt({ ...request, ...options }, revision, store, watchCache);
  return { names, request, write, at };
}

test('listAt pages through what was, and shares what is still so', async (t) => {
  const { names, request, write, at } = await startCache(t, 600);
  await write('p-0001', valueOf(1));
  await write('p-0002', undefined);
  await write('p-9999', valueOf(0));
  const found: string[] = [];
  const remaining: (number | undefined)[] = [];
  for (let after = ''; ;) {
    const { objects, metadata } = await at({ limit: 290, after });
    for (const object of objects) {
      found.push(object.name);
      assert.match(object.bytes.toString(), /"turn":0/);
      const isChanged = object.name === 'p-0001' || object.name === 'p-0002';
      assert.equal(request.cache.objects.get(object.key) === object, !isChanged, object.name);
    }
    remaining.push(metadata.remainingItemCount);
    if (metadata.continue === undefined) break;
    after = decodeToken(metadata.continue).after;
  }
  assert.deepEqual(found, names);
  assert.deepEqual(remaining, [310, 20, undefined]);
  assert.equal((await at({})).objects.length, 600);
});

test('listAt selects over more than it reads at one go', async (t) => {
  const { names, write, at } = await startCache(t, 600);
  await write('p-0000', undefined);
  const selection = { ...everything, matches: ({ name }: { name: string }) => name.endsWith('0') };
  const { objects, metadata } = await at({ selection, isSelective: true, limit: 40 });
  assert.deepEqual(
    objects.map(({ name }) => name),
    names.filter((name) => name.endsWith('0')).slice(0, 40),
  );
  assert.equal(metadata.remainingItemCount, undefined);
  assert.ok(metadata.continue);
});

test('listNow reads a page once for all who ask, until something changes', async (t) => {
  const { request, write } = await startCache(t, 10);
  const { cache } = request;
  const page = (options: Partial<ListRequest> = {}) => listNow({ ...request, limit: 4, ...options }, cache.changedAt);
  const first = page();
  const again = listNow({ ...request, limit: 4 }, cache.changedAt + 7);
  assert.equal(again.objects, first.objects);
  assert.equal(again.metadata.resourceVersion, String(cache.changedAt + 7));
  assert.equal(again.metadata.remainingItemCount, 6);
  assert.equal(page({ limit: 5 }).objects.length, 5);
  assert.equal(page({ after: 'a/p-0003' }).objects[0]!.name, 'p-0004');
  assert.equal(page({ selection: { ...everything, namespace: 'b' } }).objects.length, 0);
  const before = page();
  await write('p-0001', valueOf(1));
  assert.match(page().objects[1]!.bytes.toString(), /"turn":1/);
  await write('p-0001', undefined);
  assert.deepEqual(
    page().objects.map(({ name }) => name),
    ['p-0000', 'p-0002', 'p-0003', 'p-0004'],
  );
  assert.equal(page().metadata.remainingItemCount, 5);
  assert.match(before.objects[1]!.bytes.toString(), /"turn":0/, 'who has a page keeps it as it was');
});
