import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns.ts';

/** A clock whose time passes while turns are taken; what is to happen later waits to be run. */
function busyClock() {
  const state = { nowMs: 1_000, restsMs: [] as number[], rested: [] as (() => void)[] };
  const clock = {
    now: () => state.nowMs,
    after(delayMs: number, callback: () => void) {
      state.restsMs.push(delayMs);
      state.rested.push(callback);
      return () => {};
    },
  };
  return { clock, state };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('Turns are taken in the order of the line, after what is at hand, without a rest where they take no time', async () => {
  const { clock, state } = busyClock();
  const turns = new Turns(clock);
  const taken: string[] = [];
  const again = { take: () => void taken.push('b again') };
  turns.wait({ take: () => void taken.push('a') });
  turns.wait({
    take() {
      taken.push('b');
      turns.wait(again);
    },
  });
  turns.wait({ take: () => void taken.push('c') });
  assert.deepEqual(taken, []);
  await nextTurn();
  assert.deepEqual(taken, ['a', 'b', 'c']);
  await nextTurn();
  assert.deepEqual(taken, ['a', 'b', 'c', 'b again']);
  assert.deepEqual(state.restsMs, []);
});

test('Turns are followed by a rest of twice their time, and one turn then tells all that came meanwhile', async () => {
  const { clock, state } = busyClock();
  const turns = new Turns(clock);
  let changes = 0;
  const told: number[] = [];
  const turn = {
    take() {
      state.nowMs += 4;
      told.push(changes);
    },
  };
  changes = 1;
  turns.wait(turn);
  await nextTurn();
  assert.deepEqual(state.restsMs, [8]);
  changes = 2;
  turns.wait(turn);
  changes = 3;
  await nextTurn();
  assert.deepEqual(told, [1]);
  state.rested.shift()!();
  assert.deepEqual(told, [1, 3]);
  state.rested.shift()!();
  turns.wait(turn);
  await nextTurn();
  assert.deepEqual(told, [1, 3, 3]);
});

test('Turns let requests pass within a long round, and never rest longer than 100 ms', async () => {
  const { clock, state } = busyClock();
  const turns = new Turns(clock);
  const happened: string[] = [];
  const slow = (name: string) => ({
    take() {
      state.nowMs += 60;
      happened.push(name);
    },
  });
  turns.wait(slow('a'));
  turns.wait(slow('b'));
  setImmediate(() => happened.push('request'));
  await nextTurn();
  await nextTurn();
  assert.deepEqual(happened, ['a', 'request', 'b']);
  assert.deepEqual(state.restsMs, [100]);
});
