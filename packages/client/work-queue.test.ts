import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@kubernode/machinery';
import { createWorkQueue } from './work-queue.ts';

const queue = (clock = new FakeClock()) => createWorkQueue({ clock, random: () => 0 });

test('WorkQueue hands out a key once however often it is added', async () => {
  const work = queue();
  for (const key of ['a', 'b', 'a']) work.add(key);
  assert.equal(work.length, 2);
  assert.equal(await work.next(), 'a');
  assert.equal(await work.next(), 'b');
  assert.equal(work.length, 0);
});

test('WorkQueue keeps a key that is worked on until done, then hands it out again', async () => {
  const work = queue();
  const waiting = work.next();
  work.add('a');
  assert.equal(await waiting, 'a');
  work.add('a');
  assert.equal(work.length, 0);
  work.done('a');
  assert.equal(await work.next(), 'a');
});

test('WorkQueue addRateLimited doubles the delay until forget, up to the maximum', async () => {
  const clock = new FakeClock();
  const work = createWorkQueue({ clock, random: () => 0, maxDelayMs: 20 });
  for (const delayMs of [5, 10, 20, 20]) {
    work.addRateLimited('a');
    await clock.advance(delayMs - 1);
    assert.equal(work.length, 0);
    await clock.advance(1);
    assert.equal(await work.next(), 'a');
    work.done('a');
  }
  assert.equal(work.failures('a'), 4);
  work.forget('a');
  work.addRateLimited('a');
  await clock.advance(5);
  assert.equal(work.length, 1);
});

test('WorkQueue addAfter keeps the earlier of two times', async () => {
  const clock = new FakeClock();
  const work = queue(clock);
  work.addAfter('a', 100);
  work.addAfter('a', 10);
  work.addAfter('a', 50);
  await clock.advance(10);
  assert.equal(await work.next(), 'a');
  work.done('a');
  await clock.advance(200);
  assert.equal(work.length, 0);
});

test('WorkQueue shutDown hands out what is ready, drops what is delayed, then answers undefined', async () => {
  const clock = new FakeClock();
  const work = queue(clock);
  work.add('a');
  work.addAfter('b', 10);
  work.shutDown();
  assert.equal(await work.next(), 'a');
  assert.equal(await work.next(), undefined);
  work.add('c');
  await clock.advance(20);
  assert.equal(work.length, 0);
});

test('WorkQueue shutDown wakes who waits', async () => {
  const work = queue();
  const waiting = work.next();
  work.shutDown();
  assert.equal(await waiting, undefined);
});
