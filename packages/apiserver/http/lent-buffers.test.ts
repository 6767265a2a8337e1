import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LentBuffers } from './lent-buffers.ts';

test('LentBuffers lends again what was given back, where it is long enough', () => {
  const lent = new LentBuffers();
  const first = lent.take(100_000);
  assert.equal(first.length, 100_000);
  assert.notEqual(lent.take(100_000).buffer, first.buffer);
  lent.giveBack(first);
  assert.notEqual(lent.take(200_000).buffer, first.buffer);
  const again = lent.take(120_000);
  assert.equal(again.buffer, first.buffer);
  assert.equal(again.length, 120_000);
  assert.notEqual(lent.take(100_000).buffer, first.buffer, 'it is lent');
});

test('LentBuffers keeps neither short ones nor more than 8 MB', () => {
  const lent = new LentBuffers();
  const short = lent.take(1_000);
  lent.giveBack(short);
  assert.notEqual(lent.take(70_000).buffer, short.buffer);
  const long = [4, 4, 1].map((megabytes) => lent.take(megabytes * 1024 * 1024));
  for (const buffer of long) lent.giveBack(buffer);
  assert.equal(lent.take(4 * 1024 * 1024).buffer, long[0]!.buffer);
  assert.equal(lent.take(3 * 1024 * 1024).buffer, long[1]!.buffer);
  assert.notEqual(lent.take(1024 * 1024).buffer, long[2]!.buffer);
});
