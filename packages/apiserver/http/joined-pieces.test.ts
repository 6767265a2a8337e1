import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JoinedPieces } from './joined-pieces.ts';

const joined = (...pieces: readonly Buffer[]): JoinedPieces => {
  const result = new JoinedPieces();
  for (const piece of pieces) result.add(piece);
  return result;
};

test('JoinedPieces answers a piece alone as it is', () => {
  const piece = Buffer.from('abc');
  const taken = joined(Buffer.alloc(0), piece).take();
  assert.deepEqual([taken.buffer, taken.byteOffset, taken.length], [piece.buffer, piece.byteOffset, 3]);
});

test('JoinedPieces keeps bytes one by one in few times their length, in their order', () => {
  const bytes = Buffer.from(Array.from({ length: 40_000 }, (_, index) => index % 251));
  const pieces = joined(...Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)));
  assert.equal(pieces.length, bytes.length);
  const taken = pieces.take();
  assert.deepEqual(taken, bytes);
  assert.ok(taken.buffer.byteLength <= 3 * bytes.length, `${taken.buffer.byteLength} bytes of memory`);
});

test('JoinedPieces leaves alone what was taken, and what it was given', () => {
  const given = Buffer.from('abcdef');
  const pieces = joined(given.subarray(0, 2), Buffer.from('xy'));
  const taken = pieces.take();
  assert.deepEqual([pieces.length, String(pieces.take())], [0, '']);
  pieces.add(Buffer.from('1'));
  pieces.add(Buffer.from('23'));
  assert.deepEqual([taken, given, pieces.take()].map(String), ['abxy', 'abcdef', '123']);
});
