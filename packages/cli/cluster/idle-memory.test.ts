import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { FakeClock } from '@kubernode/machinery';
import { anonymousBytes, ownMemory, releaseIdleMemory } from './idle-memory.ts';

const megabyte = 1024 * 1024;

/** A process of `residentMB` that a collection makes smaller. */
function fakeProcess() {
  const state = { residentMB: 130, heapMB: 30, computedMs: 0, collected: 0 };
  const memory = {
    residentBytes: () => state.residentMB * megabyte,
    heapBytes: () => state.heapMB * megabyte,
    computedMs: () => state.computedMs,
    collect() {
      state.collected += 1;
      state.residentMB -= 40;
      state.computedMs += 900;
    },
  };
  const clock = new FakeClock();
  return { state, clock, stop: releaseIdleMemory(clock, memory) };
}

test('releaseIdleMemory collects after the start, and again only after the process has grown', async () => {
  const { state, clock } = fakeProcess();
  await clock.advance(10_000);
  assert.equal(state.collected, 1);
  state.residentMB += 15;
  await clock.advance(30_000);
  assert.equal(state.collected, 1);
  state.residentMB += 1;
  await clock.advance(10_000);
  assert.equal(state.collected, 2);
});

test('releaseIdleMemory waits until a load is over, and does not take its own work for one', async () => {
  const { state, clock } = fakeProcess();
  for (let round = 0; round < 3; round += 1) {
    state.computedMs += 500;
    await clock.advance(10_000);
  }
  assert.equal(state.collected, 0);
  state.computedMs += 499;
  await clock.advance(10_000);
  assert.equal(state.collected, 1);
  state.residentMB += 100;
  await clock.advance(10_000);
  assert.equal(state.collected, 2);
});

test('releaseIdleMemory leaves large heaps alone, whose collection would be felt', async () => {
  const { state, clock } = fakeProcess();
  state.heapMB = 257;
  await clock.advance(10_000);
  assert.equal(state.collected, 0);
  state.heapMB = 256;
  await clock.advance(10_000);
  assert.equal(state.collected, 1);
});

test('releaseIdleMemory ends when it is stopped', async () => {
  const { state, clock, stop } = fakeProcess();
  stop();
  await clock.advance(60_000);
  assert.equal(state.collected, 0);
});

test('ownMemory collects what nothing refers to', async () => {
  const memory = ownMemory();
  const garbage = new WeakRef(Array.from({ length: 1000 }, (_, index) => ({ index })));
  await nextTurn();
  memory.collect();
  assert.equal(garbage.deref(), undefined);
  assert.ok(memory.residentBytes() > memory.heapBytes());
  assert.ok(memory.computedMs() > 0);
});

test('anonymousBytes are unknown where the system does not count them', () => {
  assert.equal(anonymousBytes('VmRSS:\t  9000 kB\nRssAnon:\t    7000 kB\nRssFile:\t 2000 kB\n'), 7_168_000);
  assert.equal(anonymousBytes('VmRSS:\t  9000 kB\n'), undefined);
});
