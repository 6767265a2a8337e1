import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lease } from '@kubernode/api/coordination/v1';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { createClient } from './client.ts';
import { runLeaderElection } from './leader-election.ts';
import { testApi } from './test-api.ts';

function setUp() {
  const api = testApi();
  const clock = new FakeClock();
  const client = createClient(api);
  const told: string[] = [];
  const elect = (identity: string, abort = new AbortController()) => {
    const done = runLeaderElection({
      client,
      name: 'l',
      namespace: 'kube-system',
      identity,
      clock,
      random: () => 0,
      log: silentLogger,
      signal: abort.signal,
      onStarted: () => void told.push(`${identity} leads`),
      onStopped: () => void told.push(`${identity} stops`),
    });
    return { abort, done };
  };
  const lease = () => client.get(Lease, 'l', 'kube-system');
  return { api, clock, client, told, elect, lease };
}

test('runLeaderElection has one leader, and the next one as soon as it steps down', async () => {
  const { clock, told, elect, lease } = setUp();
  const a = elect('a');
  await clock.advance(1);
  const b = elect('b');
  await clock.advance(60_000);
  assert.deepEqual(told, ['a leads']);
  assert.equal((await lease()).spec.leaseDurationSeconds, 15);
  a.abort.abort();
  await a.done;
  await clock.advance(4_000);
  assert.deepEqual(told, ['a leads', 'a stops', 'b leads']);
  const { spec } = await lease();
  assert.equal(spec.holderIdentity, 'b');
  assert.equal(spec.leaseTransitions, 1);
  b.abort.abort();
  await b.done;
  assert.equal((await lease()).spec.holderIdentity, '');
});

test('runLeaderElection takes over from a leader that died, after its lease', async () => {
  const { client, clock, told, elect } = setUp();
  const spec = { holderIdentity: 'dead', leaseDurationSeconds: 15, leaseTransitions: 4 };
  await client.create(Lease, { metadata: { name: 'l', namespace: 'kube-system' }, spec });
  const { abort, done } = elect('a');
  await clock.advance(14_000);
  assert.deepEqual(told, []);
  await clock.advance(3_000);
  assert.deepEqual(told, ['a leads']);
  abort.abort();
  await done;
});

test('runLeaderElection stops a leader that cannot renew', async () => {
  const { api, clock, told, elect } = setUp();
  const { done } = elect('a');
  await clock.advance(5_000);
  api.intercept = () => {
    throw new Error('connection refused');
  };
  await clock.advance(8_500);
  assert.deepEqual(told, ['a leads']);
  await clock.advance(5_000);
  await done;
  assert.deepEqual(told, ['a leads', 'a stops']);
});

test('runLeaderElection does not wait for a server that never answers', async () => {
  const { api, clock, told, elect } = setUp();
  const { done } = elect('a');
  await clock.advance(5_000);
  api.intercept = () => new Promise(() => {});
  await clock.advance(15_000);
  await done;
  assert.deepEqual(told, ['a leads', 'a stops']);
});

test('runLeaderElection refuses durations that do not fit', async () => {
  const { client, clock } = setUp();
  const options = {
    client,
    name: 'l',
    namespace: 'n',
    identity: 'a',
    renewDeadlineMs: 15_000,
    clock,
    random: () => 0,
    log: silentLogger,
    signal: new AbortController().signal,
    onStarted() {},
    onStopped() {},
  };
  await assert.rejects(runLeaderElection(options), /expected leaseDurationMs > renewDeadlineMs/);
});
