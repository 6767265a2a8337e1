import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LentBuffers } from './lent-buffers.ts';

const megabyte = 1024 * 1024;

function filling(length: number, byte = 0) {
  const filled = {
    length,
    times: 0,
    fill(into: Buffer) {
      assert.equal(into.length, length);
      into.fill(byte);
      filled.times += 1;
    },
  };
  return filled;
}

test('LentBuffers lends again what was given back, where it is long enough', () => {
  const lent = new LentBuffers();
  const first = lent.lend(filling(100_000));
  assert.equal(first.bytes.length, 100_000);
  assert.notEqual(lent.lend(filling(100_000)).bytes.buffer, first.bytes.buffer);
  first.giveBack();
  assert.notEqual(lent.lend(filling(200_000)).bytes.buffer, first.bytes.buffer);
  const again = lent.lend(filling(120_000));
  assert.equal(again.bytes.buffer, first.bytes.buffer);
  assert.equal(again.bytes.length, 120_000);
  assert.notEqual(lent.lend(filling(100_000)).bytes.buffer, first.bytes.buffer, 'it is lent');
});

test('LentBuffers fills memory once for all who ask for the same, until it is lent for something else', () => {
  const lent = new LentBuffers();
  const same = filling(100_000, 1);
  const [first, second] = [lent.lend(same), lent.lend(same)];
  assert.equal(second.bytes.buffer, first.bytes.buffer);
  first.giveBack();
  const other = lent.lend(filling(100_000, 2));
  assert.notEqual(other.bytes.buffer, second.bytes.buffer, 'the second still reads it');
  second.giveBack();
  const third = lent.lend(same);
  assert.equal(third.bytes[0], 1);
  assert.equal(same.times, 1);
  third.giveBack();
  assert.equal(lent.lend(filling(100_000, 3)).bytes.buffer, third.bytes.buffer);
  assert.equal(lent.lend(same).bytes[0], 1);
  assert.equal(same.times, 2);
});

test('LentBuffers keeps neither short ones nor more than 8 MB', () => {
  const lent = new LentBuffers();
  const short = lent.lend(filling(1_000));
  short.giveBack();
  assert.notEqual(lent.lend(filling(70_000)).bytes.buffer, short.bytes.buffer);
  const long = [4, 4, 1].map((megabytes) => lent.lend(filling(megabytes * megabyte)));
  for (const loan of long) loan.giveBack();
  assert.equal(lent.lend(filling(4 * megabyte)).bytes.buffer, long[0]!.bytes.buffer);
  assert.equal(lent.lend(filling(3 * megabyte)).bytes.buffer, long[1]!.bytes.buffer);
  assert.notEqual(lent.lend(filling(megabyte)).bytes.buffer, long[2]!.bytes.buffer);
});

test('LentBuffers does not hold what was forsaken, nor lends it for anything else', () => {
  const lent = new LentBuffers();
  const same = filling(100_000, 1);
  const [gone, reader] = [lent.lend(same), lent.lend(same)];
  gone.forsake();
  gone.giveBack();
  const other = lent.lend(filling(100_000, 2));
  assert.notEqual(other.bytes.buffer, reader.bytes.buffer, 'one still reads it');
  reader.giveBack();
  assert.notEqual(lent.lend(filling(100_000, 3)).bytes.buffer, reader.bytes.buffer);
  assert.equal(reader.bytes[0], 1);
  lent.lend(same);
  assert.equal(same.times, 2);
});
