import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@kubernode/machinery';
import type { PriorityLevelConfiguration } from '@kubernode/api/flowcontrol/v1';
import { allocate } from './allocation.ts';
import { adjustBorrowing } from './borrowing.ts';
import { DroppedRequests } from './dropped-requests.ts';
import { PriorityLevel } from './priority-level.ts';
import { estimateWork } from './work.ts';

const limited = (name: string, nominalConcurrencyShares: number, lendablePercent: number) =>
  ({
    metadata: { name },
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares, lendablePercent, limitResponse: { type: 'Reject' } },
    },
  }) as unknown as PriorityLevelConfiguration;

test('allocate gives the same proportion to all that no bound holds', () => {
  const cases = [
    {
      sum: 10,
      claims: [
        [1, 0, 100],
        [4, 0, 100],
      ],
      shares: [2, 8],
    },
    {
      sum: 10,
      claims: [
        [1, 5, 100],
        [4, 0, 100],
      ],
      shares: [5, 5],
    },
    {
      sum: 10,
      claims: [
        [1, 0, 100],
        [4, 0, 6],
      ],
      shares: [4, 6],
    },
    {
      sum: 3,
      claims: [
        [1, 1, 100],
        [4, 2, 6],
      ],
      shares: [1, 2],
    },
    { sum: 0, claims: [[1, 0, 100]], shares: [0] },
  ] as const;
  for (const { sum, claims, shares } of cases) {
    const read = claims.map(([target, lowerBound, upperBound]) => ({ target, lowerBound, upperBound }));
    const found = allocate(sum, read).shares.map((share) => Number(share.toFixed(6)));
    assert.deepEqual(found, shares);
  }
  assert.throws(() => allocate(1, [{ target: 2, lowerBound: 2, upperBound: 3 }]), /higher than the sum/);
});

test('adjustBorrowing lends what is idle to whoever wants it, and takes it back', async () => {
  const clock = new FakeClock();
  const levels = [new PriorityLevel(limited('busy', 30, 0), clock), new PriorityLevel(limited('idle', 70, 50), clock)];
  for (const level of levels) level.apportion(100, 100);
  const [busy, idle] = levels as [PriorityLevel, PriorityLevel];
  adjustBorrowing(levels, clock.now());
  const arrival = { flowSchema: 's', distinguisher: '', about: undefined };
  const oneSeat = { initialSeats: 1, finalSeats: 0, additionalLatencyMs: 0 };
  const requests = [];
  for (let index = 0; index < 28; index += 1) requests.push(busy.queues.arrive({ ...arrival, work: oneSeat }));
  await clock.advance(10_000);
  adjustBorrowing(levels, clock.now());
  assert.ok(busy.currentSeats > 40, `busy has ${busy.currentSeats}`);
  assert.equal(busy.currentSeats + idle.currentSeats, 100);
  assert.ok(idle.currentSeats >= idle.lowerSeats);
  for (const request of requests) if (typeof request !== 'string') busy.queues.finish(request);
  for (let index = 0; index < 60; index += 1) idle.queues.arrive({ ...arrival, work: oneSeat });
  await clock.advance(10_000);
  adjustBorrowing(levels, clock.now());
  assert.ok(idle.currentSeats >= 50, `idle has ${idle.currentSeats}`);
});

test('DroppedRequests asks for more patience while many are dropped, and for less after', () => {
  const dropped = new DroppedRequests();
  const seen: number[] = [];
  for (let second = 100; second < 110; second += 1) {
    for (let index = 0; index < 50; index += 1) dropped.record(second * 1000);
    seen.push(dropped.retryAfterSeconds);
  }
  assert.equal(seen[0], 1);
  assert.ok(seen.at(-1)! >= 8, seen.join());
  for (let second = 200; second < 260; second += 1) dropped.record(second * 1000);
  assert.ok(dropped.retryAfterSeconds < seen.at(-1)!);
});

test('estimateWork counts bytes of lists, initial events of watches, watchers of writes', () => {
  const facts = { stored: () => ({ count: 1_000, averageBytes: 1_000 }), watches: () => 45 };
  const target = { group: '', version: 'v1', resource: 'pods', subresource: '', namespace: '', name: '', path: '' };
  const cases = [
    ['get', '', 1, 0],
    ['list', '', 10, 0],
    ['list', 'limit=500', 5, 0],
    ['list', 'limit=500&continue=x', 5, 0],
    ['watch', 'resourceVersion=7', 1, 0],
    ['watch', '', 10, 0],
    ['watch', 'resourceVersion=7&sendInitialEvents=true', 10, 0],
    ['create', '', 1, 5],
  ] as const;
  for (const [verb, query, initialSeats, finalSeats] of cases) {
    const work = estimateWork({ ...target, verb }, new URLSearchParams(query), facts, 100);
    assert.deepEqual([work.initialSeats, work.finalSeats], [initialSeats, finalSeats], `${verb} ${query}`);
  }
});
