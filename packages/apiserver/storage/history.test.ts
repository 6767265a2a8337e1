import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CacheEvent } from './cache-event.ts';
import { History } from './history.ts';
import { StoredObject } from './stored-object.ts';

const names = { key: '/registry/configmaps/a/x', namespace: 'a', name: 'x' };

function object(revision: number, length: number): StoredObject {
  const head = `{"metadata":{"resourceVersion":"${revision}"},"data":"`;
  return new StoredObject(names, revision, Buffer.from(`${head}${'x'.repeat(length)}"}`));
}

function event(revision: number, atMs: number, length = 1): CacheEvent {
  const previous = object(revision - 1, length);
  return { revision, atMs, object: object(revision, 1), previous, deleted: false };
}

test('History forgets what is older than clients need, also when nothing comes any more', () => {
  const history = new History(0);
  for (let revision = 1; revision <= 1_000; revision += 1) history.push(event(revision, 0));
  assert.equal(history.after(0)?.length, 1_000);
  assert.equal(history.trim(75_000), true);
  assert.equal(history.after(0)?.length, 1_000);
  assert.equal(history.trim(75_001), false);
  assert.equal(history.after(0), undefined);
  assert.deepEqual(
    history.after(998)?.map(({ revision }) => revision),
    [999, 1_000],
  );
});

test('History holds no more than its bytes of what was replaced', () => {
  const history = new History(0);
  for (let revision = 1; revision <= 600; revision += 1) history.push(event(revision, 0, 100_000));
  assert.equal(history.after(0), undefined);
  const kept = 600 - history.completeAfter;
  assert.ok(kept >= 256 && kept <= 336, `${kept} events`);
  assert.equal(history.after(history.completeAfter)?.length, kept);
});

test('StoredObject.at shows the same object at another revision', () => {
  const deleted = object(9, 3).at(10);
  assert.equal(deleted.revision, 10);
  assert.equal(deleted.bytes.toString(), '{"metadata":{"resourceVersion":"10"},"data":"xxx"}');
  assert.equal(deleted.at(11).bytes.toString(), '{"metadata":{"resourceVersion":"11"},"data":"xxx"}');
});
