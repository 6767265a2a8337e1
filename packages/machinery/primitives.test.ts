import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Backoff } from './backoff.ts';
import { FakeClock } from './clock.ts';
import { deepClone, deepEqual, deepFreeze } from './deep.ts';
import { formatDuration, humanDuration, parseDuration, shortHumanDuration } from './duration.ts';
import { Heap } from './heap.ts';
import { resolveIntOrPercent } from './int-or-string.ts';
import { jitter, randomSuffix, seededRandom, uid } from './random.ts';
import { formatMicroTime, formatTime, parseTime } from './time.ts';
import { TokenBucket } from './token-bucket.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

test('humanDuration shows ages as kubectl does', () => {
  const cases: [number, string][] = [
    [-3 * second, '<invalid>'],
    [-1 * second, '0s'],
    [119 * second, '119s'],
    [2 * minute, '2m'],
    [5 * minute + 10 * second, '5m10s'],
    [179 * minute, '179m'],
    [3 * hour, '3h'],
    [7 * hour + 5 * minute, '7h5m'],
    [47 * hour, '47h'],
    [5 * day + 3 * hour, '5d3h'],
    [400 * day, '400d'],
    [3 * 365 * day + 20 * day, '3y20d'],
    [9 * 365 * day + 20 * day, '9y'],
  ];
  for (const [ms, expected] of cases) assert.equal(humanDuration(ms), expected);
  assert.equal(shortHumanDuration(5 * day + 3 * hour), '5d');
});

test('parseDuration and formatDuration speak Go', () => {
  assert.equal(parseDuration('1h30m5.5s'), 5_405_500);
  assert.equal(parseDuration('-1.5h'), -5_400_000);
  assert.equal(parseDuration('0'), 0);
  assert.equal(formatDuration(3_600_000), '1h0m0s');
  assert.equal(formatDuration(1.5), '1.5ms');
  assert.throws(() => parseDuration('5'), { message: 'time: missing unit in duration "5"' });
  assert.throws(() => parseDuration('x'), { message: 'time: invalid duration "x"' });
  fc.assert(fc.property(fc.integer(), (ms) => assert.equal(parseDuration(formatDuration(ms)), ms)));
});

test('formatTime and parseTime are RFC 3339', () => {
  assert.equal(formatTime(1_767_225_600_999), '2026-01-01T00:00:00Z');
  assert.equal(formatMicroTime(1_767_225_600_123.5), '2026-01-01T00:00:00.123500Z');
  assert.equal(parseTime('2026-01-01T01:00:00+01:00'), 1_767_225_600_000);
  for (const bad of ['2026-02-30T00:00:00Z', '2026-01-01', 'x', '', undefined]) assert.equal(parseTime(bad), undefined);
});

test('resolveIntOrPercent rounds as asked', () => {
  assert.equal(resolveIntOrPercent(3, 10, { roundUp: true }), 3);
  assert.equal(resolveIntOrPercent('25%', 10, { roundUp: true }), 3);
  assert.equal(resolveIntOrPercent('25%', 10, { roundUp: false }), 2);
  assert.throws(() => resolveIntOrPercent('x', 1, { roundUp: true }), {
    message: 'invalid value for IntOrString: invalid type: string is not a percentage',
  });
});

test('randomSuffix, uid and jitter follow the random handed in', () => {
  assert.match(randomSuffix(seededRandom(1)), /^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  assert.equal(uid(seededRandom(7)), uid(seededRandom(7)));
  assert.match(uid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(
    jitter(100, 0.5, () => 0.5),
    125,
  );
});

test('deepEqual means what the API means', () => {
  const cases: [unknown, unknown, boolean][] = [
    [{ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }, true],
    [{ a: undefined }, {}, true],
    [{ a: null, b: [] }, {}, true],
    [{ emptyDir: {} }, {}, false],
    [{ a: '' }, {}, false],
    [[1, 2], [2, 1], false],
    [{}, [], false],
  ];
  for (const [a, b, expected] of cases) assert.equal(deepEqual(a, b), expected, JSON.stringify([a, b]));
});

test('deepClone shares nothing and keeps "__proto__" as data', () => {
  const original = deepFreeze({ a: [{ b: 1 }], c: undefined });
  const copy = deepClone(original);
  copy.a[0]!.b = 2;
  assert.equal(original.a[0]?.b, 1);
  assert.equal('c' in copy, false);
  const cloned = deepClone(JSON.parse('{"__proto__": {"x": 1}}') as Record<string, unknown>);
  assert.equal(Object.getPrototypeOf(cloned), Object.prototype);
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
  assert.equal(JSON.stringify(cloned), '{"__proto__":{"x":1}}');
});

test('Heap pops in order, whatever was updated and deleted before', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(20), fc.nat(100), fc.boolean())), (steps) => {
      const heap = new Heap<{ key: number; rank: number }>({ compare: (a, b) => a.rank - b.rank, key: (i) => i.key });
      const model = new Map<number, number>();
      for (const [key, rank, removes] of steps) {
        if (removes) {
          heap.delete(key);
          model.delete(key);
        } else {
          heap.push({ key, rank });
          model.set(key, rank);
        }
      }
      const popped: number[] = [];
      for (let item = heap.pop(); item; item = heap.pop()) popped.push(item.rank);
      assert.deepEqual(
        popped,
        [...model.values()].sort((a, b) => a - b),
      );
    }),
  );
});

test('Backoff grows to its cap and starts again after a reset', () => {
  const backoff = new Backoff({ initialMs: 10, maxMs: 50, resetAfterMs: 1000 });
  assert.deepEqual([backoff.next(0), backoff.next(1), backoff.next(2), backoff.next(3)], [10, 20, 40, 50]);
  assert.equal(backoff.next(2000), 10);
  backoff.reset();
  assert.equal(backoff.next(), 10);
  assert.equal(new Backoff({ initialMs: 10, maxMs: 50, jitter: 1, random: () => 0.5 }).next(), 15);
});

test('TokenBucket lets a burst through, then the rate', async () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket({ clock, perSecond: 10, burst: 2 });
  assert.deepEqual([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()], [true, true, false]);
  await clock.advance(100);
  assert.equal(bucket.tryTake(), true);
  assert.equal(bucket.reserve(), 100);
  assert.equal(bucket.reserve(), 200);
});
