import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FakeClock } from '@kubernode/machinery';
import { MemoryState } from '../memory-state.ts';
import { MetricsRegistry } from '../metrics/registry.ts';
import type { Entering, FlowControl, Seat } from './flow-control.ts';
import { PriorityAndFairness } from './priority-and-fairness.ts';
import { MaxInFlight } from './max-in-flight.ts';

const group = 'flowcontrol.apiserver.k8s.io';
const target = { group: '', version: 'v1', resource: 'pods', subresource: '', namespace: 'n', name: 'p', path: '' };

function entering(user: string, changes: Partial<Entering> = {}): Entering {
  const attributes = { ...target, verb: 'get' };
  const groups = user === 'root' ? ['system:masters'] : ['system:authenticated'];
  const client = new AbortController();
  const query = new URLSearchParams();
  return { user: { name: user, groups }, attributes, query, client, isOutside: false, waitMs: 1_000, ...changes };
}

function flowControl() {
  const clock = new FakeClock();
  const state = new MemoryState();
  const metrics = new MetricsRegistry();
  const queuing = { queues: 4, handSize: 2, queueLengthLimit: 2 };
  const limitResponse = { type: 'Queue', queuing };
  const limited = { nominalConcurrencyShares: 5, borrowingLimitPercent: 0, limitResponse };
  state.put(group, 'prioritylevelconfigurations', {
    metadata: { name: 'small', uid: 'level' },
    spec: { type: 'Limited', limited },
  });
  state.put(group, 'flowschemas', {
    metadata: { name: 'users', uid: 'schema' },
    spec: {
      priorityLevelConfiguration: { name: 'small' },
      matchingPrecedence: 10,
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: ['jane', 'joe'].map((name) => ({ kind: 'User', user: { name } })),
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
        },
      ],
    },
  });
  const flow = new PriorityAndFairness({ clock, state, metrics, stored: () => undefined, serverSeats: 4 });
  return { clock, state, metrics, flow };
}

test('PriorityAndFairness admits at once, then lets wait, then refuses with the level named', async () => {
  const { clock, flow, metrics } = flowControl();
  const now = [flow.admit(entering('jane')), flow.admit(entering('jane'))] as Seat[];
  assert.deepEqual(now[0]!.headers, {
    'x-kubernetes-pf-flowschema-uid': 'schema',
    'x-kubernetes-pf-prioritylevel-uid': 'level',
  });
  const waiting = [1, 2, 3, 4].map(() => flow.admit(entering('jane')));
  assert.ok(waiting.every((seat) => seat instanceof Promise));
  const refused = flow.admit(entering('jane')) as Seat;
  assert.equal(refused.retryAfterSeconds, 1);
  assert.match(flow.dump('dump_requests', { details: true })!, /small, +users, +\d, +0, +jane, /);
  now[0]!.release();
  const third = await waiting[0]!;
  assert.equal(third.retryAfterSeconds, undefined);
  await clock.advance(1_001);
  const late = await waiting[3]!;
  assert.equal(late.retryAfterSeconds, 1);
  const text = metrics.text();
  assert.match(text, /rejected_requests_total\{flow_schema="users",priority_level="small",reason="queue-full"\} 1/);
  assert.match(text, /rejected_requests_total\{flow_schema="users",priority_level="small",reason="time-out"\} 3/);
  assert.match(text, /current_executing_seats\{flow_schema="users",priority_level="small"\} 2/);
});

/** Those of a turn of the event loop, each answered before the next is looked at; how many were, and how many refused. */
async function turnOf(flow: FlowControl, count: number, user: string): Promise<{ served: number; refused: number }> {
  const seen = { served: 0, refused: 0 };
  const answer = (seat: Seat) => {
    if (seat.retryAfterSeconds === undefined) seen.served += 1;
    else seen.refused += 1;
    seat.release();
  };
  const waiting: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    const seat = flow.admit(entering(user, { isOutside: true }));
    if (seat instanceof Promise) waiting.push(seat.then(answer));
    else answer(seat);
  }
  await Promise.all(waiting);
  return seen;
}

test('PriorityAndFairness counts as at the same time what came in one turn, though each is answered at once', async () => {
  const { flow } = flowControl();
  for (let turn = 0; turn < 3; turn += 1) {
    // Two seats, and two places in each of the two queues of a hand.
    assert.deepEqual(await turnOf(flow, 300, 'jane'), { served: 6, refused: 294 });
    await setImmediate();
  }
  assert.deepEqual(await turnOf(flow, 300, 'root'), { served: 300, refused: 0 });
  // Those of the server's own parts come one after the other.
  for (let index = 0; index < 300; index += 1) (flow.admit(entering('jane')) as Seat).release();
});

test('PriorityAndFairness lets a flow that floods its queues starve no other of the same level', async () => {
  const { flow } = flowControl();
  const flood = turnOf(flow, 300, 'jane');
  const others = turnOf(flow, 2, 'joe');
  assert.deepEqual([await others, (await flood).refused], [{ served: 2, refused: 0 }, 294]);
});

test('PriorityAndFairness always admits administrators, and streams', () => {
  const { flow } = flowControl();
  for (let index = 0; index < 50; index += 1) {
    assert.ok(!(flow.admit(entering('root')) instanceof Promise));
    const attributes = { ...target, verb: 'get', subresource: 'log' };
    assert.deepEqual((flow.admit(entering('jane', { attributes })) as Seat).headers, {});
  }
});

test('PriorityAndFairness forgets a level once its last request is answered', () => {
  const { flow, state } = flowControl();
  const seat = flow.admit(entering('jane')) as Seat;
  state.remove(group, 'prioritylevelconfigurations', 'small');
  assert.match(flow.dump('dump_priority_levels', { details: false })!, /small, +0, +false, +true, +0, +1,/);
  seat.release();
  state.remove(group, 'flowschemas', 'users');
  assert.doesNotMatch(flow.dump('dump_priority_levels', { details: false })!, /small/);
});

test("PriorityAndFairness keeps seats for the watchers that a write wakes, a node's own apart", async () => {
  const { clock, flow } = flowControl();
  const watch = { ...target, verb: 'watch', name: '' };
  const ends = Array.from({ length: 20 }, () => flow.watching(watch));
  for (let node = 0; node < 50; node += 1)
    flow.watching({ ...watch, namespace: '', fieldSelector: `spec.nodeName=n${node}` });
  const write = () => flow.admit(entering('jane', { attributes: { ...target, verb: 'update' } })) as Seat;
  const inUse = () =>
    flow
      .dump('dump_queues', { details: false })!
      .split('\n')
      .filter((line) => line.startsWith('small'))
      .reduce((sum, line) => sum + Number(line.split(',')[4]), 0);
  write().release();
  assert.equal(inUse(), 1);
  await clock.advance(10);
  assert.equal(inUse(), 0);
  for (const end of ends) end();
  write().release();
  assert.equal(inUse(), 0);
});

test('MaxInFlight refuses the one too many, but no administrator', () => {
  const flow = new MaxInFlight({ reads: 1, writes: 0 });
  const first = flow.admit(entering('jane'));
  assert.equal(flow.admit(entering('jane')).retryAfterSeconds, 1);
  assert.equal(flow.admit(entering('root')).retryAfterSeconds, undefined);
  assert.equal(
    flow.admit(entering('jane', { attributes: { ...target, verb: 'create' } })).retryAfterSeconds,
    undefined,
  );
  first.release();
  assert.equal(flow.admit(entering('jane')).retryAfterSeconds, undefined);
});

test('MaxInFlight counts as at the same time what came in one turn, though each is answered at once', async () => {
  const flow = new MaxInFlight({ reads: 10, writes: 0 });
  assert.deepEqual(await turnOf(flow, 300, 'jane'), { served: 10, refused: 290 });
  await setImmediate();
  assert.deepEqual(await turnOf(flow, 10, 'jane'), { served: 10, refused: 0 });
});
