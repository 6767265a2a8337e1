import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { RevisionWaiters } from './revision-waiters.ts';
import { WatchCache } from './watch-cache.ts';

test('RevisionWaiters calls those back whose revision is reached, once', () => {
  const waiters = new RevisionWaiters();
  const called: number[] = [];
  for (const revision of [3, 1, 2, 3]) waiters.add(revision, () => called.push(revision));
  const giveUp = waiters.add(2, () => called.push(-1));
  giveUp();
  waiters.reach(2);
  assert.deepEqual(called, [1, 2]);
  assert.equal(waiters.size, 2);
  waiters.reach(Infinity);
  assert.deepEqual(called, [1, 2, 3, 3]);
  assert.equal(waiters.size, 0);
});

test('WatchCache.reachedWithin waits no longer than it says, and leaves nothing behind', async (t) => {
  const clock = new FakeClock();
  const store = memoryStore();
  const waiters = new RevisionWaiters();
  const cache = new WatchCache({ store, clock, log: silentLogger, waiters });
  await cache.start();
  t.after(() => cache.stop());
  const never = cache.reachedWithin(1e15, 3_000);
  const { revision } = await store.write([{ key: '/registry/core/pods/a/b', value: Buffer.of(), expect: 'any' }]);
  assert.equal(await cache.reachedWithin(revision, 3_000), true);
  assert.equal(waiters.size, 1);
  await clock.advance(3_000);
  assert.equal(await never, false);
  assert.equal(waiters.size, 0);
});
