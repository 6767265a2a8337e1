import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@kubernode/machinery';
import { releaseNativeMemory } from './native-memory.ts';

const megabyte = 1024 * 1024;
const lookMs = 500;

/** A process that holds `freeMB` that it does not use, beside what it uses. */
function fakeProcess() {
  const state = { usedMB: 60, freeMB: 0, trims: 0 };
  const memory = {
    residentBytes: () => (state.usedMB + state.freeMB) * megabyte,
    trim() {
      state.trims += 1;
      state.freeMB = 0;
    },
  };
  const clock = new FakeClock();
  return { state, clock, stop: releaseNativeMemory(clock, memory) };
}

test('releaseNativeMemory gives back what was still in use when the process grew', async () => {
  const { state, clock } = fakeProcess();
  state.usedMB += 100;
  await clock.advance(lookMs);
  // The connections end: nothing that the system sees tells it.
  state.usedMB -= 90;
  state.freeMB += 90;
  await clock.advance(lookMs);
  assert.deepEqual([state.usedMB, state.freeMB], [70, 0]);
});

test('releaseNativeMemory looks ever more seldom while nothing changes, and at once when something does', async () => {
  const { state, clock } = fakeProcess();
  await clock.advance(10 * 60_000);
  const inTenMinutes = state.trims;
  assert.ok(inTenMinutes < 20, `${inTenMinutes} trims`);
  state.freeMB += 7;
  await clock.advance(lookMs);
  assert.equal(state.trims, inTenMinutes);
  state.freeMB += 1;
  await clock.advance(lookMs);
  assert.equal(state.trims, inTenMinutes + 1);
});

test('releaseNativeMemory ends when it is stopped', async () => {
  const { state, clock, stop } = fakeProcess();
  stop();
  state.freeMB += 100;
  await clock.advance(60_000);
  assert.equal(state.trims, 0);
});
