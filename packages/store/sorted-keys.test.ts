import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareBytes, SortedKeys } from './sorted-keys.ts';

const utf8Order = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
/** Whole characters only: a lone surrogate has no UTF-8. */
const keys = fc.oneof(fc.string({ maxLength: 4 }), fc.string({ unit: 'binary', maxLength: 4 }));

test('SortedKeys keeps what was added and not removed, in the order of UTF-8', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(keys, fc.boolean()), { maxLength: 60 }), keys, keys, (steps, from, to) => {
      const sorted = new SortedKeys();
      const expected = new Set<string>();
      for (const [key, added] of steps) {
        const isNews = expected.has(key) !== added;
        assert.equal(added ? sorted.add(key) : sorted.delete(key), isNews);
        if (added) expected.add(key);
        else expected.delete(key);
      }
      const inOrder = [...expected].toSorted(utf8Order);
      const within = inOrder.filter((key) => utf8Order(key, from) >= 0 && utf8Order(key, to) < 0);
      assert.deepEqual([...sorted.range(from, to)], within);
    }),
    { numRuns: 200 },
  );
});

test('SortedKeys splits and drops its chunks', () => {
  const sorted = new SortedKeys();
  const name = (i: number) => `/k/${String((i * 7919) % 5_000).padStart(4, '0')}`;
  for (let i = 0; i < 5_000; i++) sorted.add(name(i));
  assert.equal([...sorted.range('/k/1000', '/k/2000')].length, 1_000);
  for (let i = 0; i < 5_000; i++) if (name(i) < '/k/4000') sorted.delete(name(i));
  assert.deepEqual([...sorted.range('', '/k/4002')], ['/k/4000', '/k/4001']);
});

test('compareBytes orders as UTF-8 bytes do', () => {
  fc.assert(fc.property(keys, keys, (a, b) => Math.sign(compareBytes(a, b)) === utf8Order(a, b)));
});
