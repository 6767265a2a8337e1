import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, type Clock } from '@kubernode/machinery';
import { InFlight, type InFlightRequest } from './in-flight.ts';

test('InFlight cuts what takes too long, also where the clock was set back in the meantime', async () => {
  const timers = new FakeClock();
  let setBackMs = 0;
  const clock: Clock = {
    now: () => timers.now() - setBackMs,
    after: (delayMs, callback) => timers.after(delayMs, callback),
  };
  const inFlight = new InFlight(clock, 60_000);
  const expired: string[] = [];
  const begin = (name: string) => {
    const request: InFlightRequest = {
      atMs: 0,
      cancel: undefined,
      previous: undefined,
      next: undefined,
      expire: () => void expired.push(name),
    };
    inFlight.begin(request, 60_000);
  };
  begin('before');
  await timers.advance(30_000);
  setBackMs = 3_600_000;
  begin('after');
  await timers.advance(30_000);
  assert.deepEqual(expired, []);
  await timers.advance(60_000);
  assert.deepEqual(expired, ['before', 'after']);
});
