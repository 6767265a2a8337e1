import assert from 'node:assert/strict';
import { test } from 'node:test';
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
