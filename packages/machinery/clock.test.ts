import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, preciseNow, systemClock } from './clock.ts';

test('preciseNow of the system has fractions, never goes back, and stays with the wall clock', () => {
  const seen = Array.from({ length: 1000 }, () => preciseNow(systemClock));
  assert.ok(seen.some((ms) => !Number.isInteger(ms)));
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
  );
  assert.ok(Math.abs(preciseNow(systemClock) - systemClock.now()) < 5);
});

test('preciseNow of a FakeClock is its time', () => {
  const clock = new FakeClock(1234);
  assert.equal(preciseNow(clock), 1234);
});
