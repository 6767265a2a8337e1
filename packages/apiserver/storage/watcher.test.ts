import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredObject } from './stored-object.ts';
import { Watcher } from './watcher.ts';

const bookmark = { type: 'BOOKMARK', revision: 1, initialEventsEnd: false } as const;
const everything = { namespace: '', name: '', matches: undefined };

test('Watcher drops a reader that is 20,000 events behind, but not for what it begins with', async () => {
  const watcher = new Watcher(everything, 0);
  for (let at = 0; at < 25_000; at += 1) watcher.pushInitial(bookmark);
  watcher.push(bookmark);
  assert.equal(watcher.ended, false);
  const batches = watcher.batches();
  assert.equal((await batches.next()).value?.length, 25_001);
  for (let at = 0; at < 20_000; at += 1) watcher.push(bookmark);
  assert.equal(watcher.ended, false);
  watcher.push(bookmark);
  assert.equal(watcher.ended, true);
});

test('Watcher is taken in batches of a size, and dropped when too much waits', () => {
  const object = { byteLength: 300_000 } as unknown as StoredObject;
  const added = { type: 'ADDED', object } as const;
  const watcher = new Watcher(everything, 0);
  for (let at = 0; at < 1_000; at += 1) watcher.pushInitial(added);
  assert.equal(watcher.take()?.length, 3);
  watcher.pushInitial({ type: 'ADDED', object: { byteLength: 2_000_000 } as unknown as StoredObject });
  let taken = 3;
  while (watcher.isReady) taken += watcher.take()!.length;
  assert.equal(taken, 1_001);
  let pushed = 0;
  for (; !watcher.ended; pushed += 1) watcher.push(added);
  // The last one was too much.
  assert.equal(pushed - 1, Math.ceil((64 << 20) / 300_000));
  taken = 0;
  for (let batch = watcher.take(); batch; batch = watcher.take()) taken += batch.length;
  assert.equal(taken, pushed - 1);
});
