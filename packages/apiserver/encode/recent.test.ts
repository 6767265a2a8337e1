import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Recent } from './recent.ts';

const keys = Array.from({ length: 1_000 }, (_, index) => ({ index }));
const knownIn = (recent: Recent<object, number>) => keys.filter((key) => recent.get(key) !== undefined).length;

test('Recent knows the latest of many, and no more than twice as many as it must', () => {
  for (const count of [1, 100, 101, 199, 200, 201, 950, 1_000]) {
    const recent = new Recent<object, number>(100);
    for (const [index, key] of keys.slice(0, count).entries()) recent.set(key, index);
    const latest = keys.slice(Math.max(0, count - 100), count);
    assert.deepEqual(
      latest.map((key) => recent.get(key)),
      latest.map(({ index }) => index),
    );
    assert.ok(knownIn(recent) <= 200);
  }
});

test('Recent goes on knowing what is asked for, whatever comes beside it', () => {
  const recent = new Recent<object, number>(100);
  recent.set(keys[0]!, 0);
  for (const [index, key] of keys.entries()) {
    if (index > 0) recent.set(key, index);
    assert.equal(recent.get(keys[0]!), 0);
  }
});
