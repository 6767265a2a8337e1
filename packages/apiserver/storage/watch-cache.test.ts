import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { startExpiry } from './expiry.ts';
import { guardedStore } from './guarded-store.ts';
import { WatchCache } from './watch-cache.ts';
import { Watcher } from './watcher.ts';

const prefix = '/registry/core/events/';
const hourMs = 60 * 60_000;

/** A cache on a store whose watch breaks when it is told to. */
async function started(t: TestContext) {
  const clock = new FakeClock();
  const memory = memoryStore();
  let lose = () => {};
  const store = {
    ...guardedStore(memory, silentLogger),
    watch(...[range, after, signal]: Parameters<typeof memory.watch>) {
      const lost = new AbortController();
      lose = () => lost.abort();
      return memory.watch(range, after, AbortSignal.any([signal, lost.signal]));
    },
  };
  const watchCache = new WatchCache({ store, clock, log: silentLogger });
  const write = async (name: string, isThere = true) => {
    const value = Buffer.from(`{"metadata":{"resourceVersion":"0","creationTimestamp":"1970-01-01T00:00:00Z"}}`);
    const change = { key: `${prefix}a/${name}`, expect: 'any' } as const;
    const { revision } = await memory.write([isThere ? { ...change, value } : change]);
    return revision;
  };
  /** Does something that the cache is not told. */
  const unseen = async (act: () => Promise<number>) => {
    lose();
    await setImmediate();
    const revision = await act();
    assert.ok(watchCache.revision < revision);
    await clock.advance(250);
    await watchCache.reached(revision);
  };
  await write('kept');
  await write('changed');
  await write('removed');
  await watchCache.start();
  t.after(() => watchCache.stop());
  return { clock, store, watchCache, cache: watchCache.of(prefix), write, unseen };
}

test('WatchCache that lost its watch tells those who follow it what differs, and ends its watches', async (t) => {
  const { cache, watchCache, write, unseen } = await started(t);
  const told: string[] = [];
  cache.onChange(({ object, previous, deleted, revision }) => {
    assert.equal(cache.objects.get(object.key), deleted ? undefined : object);
    told.push(`${deleted ? '-' : previous ? '~' : '+'}${object.name} ${revision}`);
  });
  const watcher = new Watcher({ namespace: '', name: '', matches: undefined }, watchCache.revision);
  cache.register(watcher);
  let changed = 0;
  let latest = 0;
  await unseen(async () => {
    changed = await write('changed');
    await write('removed', false);
    await write('passing');
    await write('passing', false);
    return (latest = await write('new'));
  });
  assert.deepEqual(told, [`-removed ${latest}`, `~changed ${changed}`, `+new ${latest}`]);
  assert.equal(watcher.ended, true);
  assert.equal(watcher.take(), undefined);
  await watchCache.reached(await write('kept'));
  assert.equal(told.length, 4);
});

test('startExpiry sees what was written while the watch of the store was lost', async (t) => {
  const { clock, store, cache, watchCache, write, unseen } = await started(t);
  const expiry = startExpiry({ cache, store, clock, log: silentLogger, ttlMs: hourMs });
  t.after(() => expiry.stop());
  const names = () => [...cache.objects.from(prefix)].map(({ name }) => name);
  // The first look at what is there.
  await clock.advance(60_000);
  await unseen(async () => {
    await write('removed', false);
    await write('changed');
    return write('new');
  });
  await clock.advance(hourMs - 60_000);
  await watchCache.reached(await store.revision());
  assert.deepEqual(names(), ['changed', 'new']);
  await clock.advance(2 * 60_000);
  await watchCache.reached(await store.revision());
  assert.deepEqual(names(), []);
});
