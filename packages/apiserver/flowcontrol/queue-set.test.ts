import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@kubernode/machinery';
import type { QueuedRequest } from './flow-queue.ts';
import { QueueSet } from './queue-set.ts';
import { deal } from './shuffle-shard.ts';

const oneSeat = { initialSeats: 1, finalSeats: 0, additionalLatencyMs: 0 };
const arrival = (distinguisher: string, work = oneSeat) => ({
  flowSchema: 'schema',
  distinguisher,
  work,
  about: undefined,
});

function queueSet({ queues = 64, queueLengthLimit = 50, handSize = 6, seats = 4 } = {}) {
  const clock = new FakeClock();
  const set = new QueueSet(clock);
  set.configure({ queues, queueLengthLimit, handSize });
  set.limit(seats);
  return { clock, set };
}

const taken = (request: QueuedRequest | string): QueuedRequest => {
  if (typeof request === 'string') assert.fail(`refused: ${request}`);
  return request;
};

test('QueueSet dispatches at once while seats are free, then queues, then refuses', () => {
  const { set } = queueSet({ queues: 1, handSize: 1, queueLengthLimit: 2, seats: 2 });
  const requests = [1, 2, 3, 4].map(() => taken(set.arrive(arrival('a'))));
  assert.deepEqual(
    requests.map(({ isExecuting }) => isExecuting),
    [true, true, false, false],
  );
  assert.equal(set.arrive(arrival('a')), 'queue-full');
  let decided = 0;
  requests[2]!.onDecision = () => (decided += 1);
  set.finish(requests[0]!);
  assert.equal(decided, 1);
  assert.deepEqual([set.executing, set.waiting, set.seatsInUse, set.tallies.rejected], [2, 1, 2, 1]);
});

test('QueueSet lets a quiet flow past one that floods its queues', async () => {
  const { clock, set } = queueSet({ seats: 2 });
  const order: string[] = [];
  const running: QueuedRequest[] = [];
  const send = (flow: string) => {
    const request = taken(set.arrive(arrival(flow)));
    const begin = () => {
      order.push(flow);
      running.push(request);
    };
    if (request.isExecuting) begin();
    else request.onDecision = begin;
  };
  for (let index = 0; index < 40; index += 1) send('flood');
  for (let index = 0; index < 4; index += 1) send('quiet');
  while (running.length > 0) {
    await clock.advance(10);
    for (const request of running.splice(0)) set.finish(request);
  }
  assert.equal(order.length, 44);
  const last = order.lastIndexOf('quiet');
  assert.ok(last < 36, `the quiet flow ended at place ${last} of 44`);
  assert.ok(set.isIdle);
});

test('QueueSet rejects without a queue what finds no seat, and admits a giant when nobody is there', () => {
  const { set } = queueSet({ queues: 0, seats: 2 });
  const giant = taken(set.arrive(arrival('a', { ...oneSeat, initialSeats: 5 })));
  assert.equal(set.arrive(arrival('a')), 'concurrency-limit');
  set.finish(giant);
  taken(set.arrive(arrival('a')));
});

test('QueueSet without a limit admits everything', () => {
  const { set } = queueSet({ queues: -1, seats: 0 });
  for (let index = 0; index < 100; index += 1) assert.ok(taken(set.arrive(arrival(''))).isExecuting);
});

test('QueueSet keeps the seats of a write for the watchers that it wakes', async () => {
  const { clock, set } = queueSet({ seats: 3 });
  const write = taken(set.arrive(arrival('a', { initialSeats: 1, finalSeats: 3, additionalLatencyMs: 5 })));
  const next = taken(set.arrive(arrival('b')));
  set.finish(write);
  assert.equal(next.isExecuting, false);
  await clock.advance(5);
  assert.equal(next.isExecuting, true);
});

test('QueueSet forgets who leaves, and gives the place to the next', () => {
  const { set } = queueSet({ queues: 1, handSize: 1, seats: 1 });
  const first = taken(set.arrive(arrival('a')));
  const second = taken(set.arrive(arrival('a')));
  const third = taken(set.arrive(arrival('a')));
  set.leave(second, 'timedOut');
  set.finish(first);
  assert.deepEqual([second.isExecuting, third.isExecuting, set.tallies.timedOut], [false, true, 1]);
});

test('deal gives the same hand to the same hash, each card once', () => {
  for (let hash = 1n; hash < 1n << 63n; hash *= 977n) {
    const hand = deal(hash, 128, 6);
    assert.deepEqual(hand, deal(hash, 128, 6));
    assert.equal(new Set(hand).size, 6);
    assert.ok(hand.every((card) => card >= 0 && card < 128));
  }
  assert.deepEqual(deal(0n, 10, 3), [0, 1, 2]);
});
