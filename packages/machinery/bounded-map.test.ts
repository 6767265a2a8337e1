import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedMap, ExpiringMap } from './bounded-map.ts';
import { FakeClock } from './clock.ts';

test('BoundedMap forgets its oldest entry when it is full', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
  assert.deepEqual(
    [...map],
    [
      ['b', 2],
      ['c', 4],
    ],
  );
});

test('ExpiringMap knows an entry for its time, and no more than it may', async () => {
  const clock = new FakeClock();
  const map = new ExpiringMap<string, { n: number }>(clock, 2);
  map.set('a', { n: 1 }, 10);
  map.set('never', { n: 2 }, 0);
  assert.deepEqual(map.get('a'), { n: 1 });
  assert.equal(map.get('never'), undefined);
  await clock.advance(5);
  map.set('b', { n: 3 }, 10);
  map.set('a', { n: 4 }, 10);
  map.set('c', { n: 5 }, 10);
  assert.equal(map.get('b'), undefined, 'the oldest is forgotten');
  await clock.advance(9);
  assert.deepEqual(map.get('a'), { n: 4 });
  await clock.advance(1);
  assert.equal(map.get('a'), undefined);
});
