import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceCache } from './resource-cache.ts';
import { Slabs } from './slabs.ts';
import { StoredObject } from './stored-object.ts';
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

test('Watcher that is not read holds what it was told, not the memory around it', () => {
  const prefix = '/registry/core/pods/';
  const cache = new ResourceCache(prefix, 0);
  const slabs = new Slabs();
  let revision = 0;
  let atMs = 0;
  const put = (namespace: string, name: string) => {
    revision += 1;
    const key = `${prefix}${namespace}/${name}`;
    const object = new StoredObject({ key, namespace }, revision, Buffer.alloc(1_000, String(revision)));
    slabs.keep(object);
    cache.put(object, atMs);
  };
  const watcher = new Watcher({ ...everything, namespace: 'watched' }, 0);
  cache.register(watcher);
  const told = 20;
  for (let round = 0; round < told; round += 1) {
    put('watched', 'x');
    // More than a slab of others, which the next round replaces. The history forgets what is so old.
    for (let other = 0; other < 1_100; other += 1) put('other', `y-${other}`);
    atMs += 80_000;
  }
  const objects = watcher.take()!.map((item) => item.type !== 'BOOKMARK' && item.object) as StoredObject[];
  assert.equal(objects.length, told);
  for (const object of objects)
    assert.equal(String(object.bytes), String(Buffer.alloc(1_000, String(object.revision))));
  const memory = new Set(objects.map(({ bytes }) => bytes.buffer));
  const heldBytes = [...memory].reduce((sum, { byteLength }) => sum + byteLength, 0);
  // What still lives in a slab is the newest only.
  assert.ok(heldBytes < 4 * 1024 * 1024, `${heldBytes} bytes for ${told} objects`);
});

test('Watcher tells all of a long queue in order, batch by batch, also what comes meanwhile', () => {
  const watcher = new Watcher(everything, 0);
  const objects = Array.from({ length: 10 }, (_, index) => ({ byteLength: 600_000, index }) as unknown as StoredObject);
  for (const object of objects) watcher.pushInitial({ type: 'ADDED', object });
  const taken: unknown[] = [];
  while (watcher.isReady) {
    const batch = watcher.take()!;
    assert.equal(batch.length, 1);
    taken.push(...batch.map((item) => item.type !== 'BOOKMARK' && item.object));
    if (taken.length === 3) watcher.push({ type: 'ADDED', object: objects[0]! });
  }
  assert.deepEqual(taken, [...objects, objects[0]]);
});
