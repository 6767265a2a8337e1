import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lease } from '@kubernode/api/coordination/v1';
import type { LeaseCandidate } from '@kubernode/api/coordination/v1beta1';
import { FakeClock, formatMicroTime, formatTime, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { startApiServer } from '../server.ts';
import { nextStep } from './election.ts';

const nowMs = Date.parse('2026-01-01T12:00:00Z');
const time = (secondsAgo: number) => formatMicroTime(nowMs - secondsAgo * 1000);

interface Candidate {
  readonly name: string;
  readonly binary?: string;
  readonly emulation?: string;
  readonly renewed?: number;
  readonly asked?: number;
  readonly age?: number;
  readonly strategy?: string;
}

const candidate = ({
  name,
  binary = '1.37.0',
  emulation = '1.37.0',
  renewed = 1,
  asked,
  age = 0,
  strategy,
}: Candidate) =>
  ({
    metadata: { name, creationTimestamp: formatTime(nowMs - age * 1000) },
    spec: {
      leaseName: 'l',
      binaryVersion: binary,
      emulationVersion: emulation,
      strategy: strategy ?? 'OldestEmulationVersion',
      renewTime: time(renewed),
      ...(asked === undefined ? {} : { pingTime: time(asked) }),
    },
  }) as LeaseCandidate;

const lease = (holderIdentity: string, renewed = 1) =>
  ({
    spec: { holderIdentity, leaseDurationSeconds: 5, renewTime: time(renewed), strategy: 'OldestEmulationVersion' },
  }) as Lease;

/** What a step does, in one line. */
function told(held: Lease | undefined, ...candidates: Candidate[]): string {
  const step = nextStep(held, candidates.map(candidate), nowMs);
  if (step.do === 'ask') return `ask ${step.candidates.map(({ metadata }) => metadata.name).join()}`;
  if (step.do !== 'elect') return step.do;
  return `elect ${step.spec.holderIdentity} ${step.spec.preferredHolder ?? ''}`.trim();
}

test('nextStep elects who emulates the oldest version, of the oldest binary, that was there first', () => {
  const old = { name: 'old', emulation: '1.36' };
  assert.equal(told(undefined, { name: 'a' }, old), 'elect old');
  assert.equal(told(undefined, { name: 'a' }, { name: 'b', binary: '1.36.9' }), 'elect b');
  assert.equal(told(undefined, { name: 'a', age: 5 }, { name: 'b', age: 9 }), 'elect b');
  assert.equal(told(lease('old'), { name: 'a' }, old), 'wait');
  assert.equal(told(lease('a'), { name: 'a' }, old), 'elect a old', 'a leader is asked to go');
  assert.equal(told(lease('a', 60), { name: 'a' }, old), 'elect old', 'an expired one is replaced');
});

test('nextStep asks candidates that have been silent, and waits for their answers', () => {
  assert.equal(told(undefined), 'nothing');
  assert.equal(told(undefined, { name: 'a', renewed: 60 }, { name: 'b' }), 'ask a');
  assert.equal(told(undefined, { name: 'a', renewed: 60, asked: 2 }, { name: 'b' }), 'wait');
  assert.equal(told(undefined, { name: 'a', renewed: 60, asked: 9 }, { name: 'b' }), 'elect b', 'its time is up');
  assert.equal(told(undefined, { name: 'a', renewed: 3_600 }), 'nothing', 'it is gone');
  assert.equal(told(lease('a'), { name: 'a', renewed: 1_000 }), 'ask a', 'now and then all are asked');
  assert.throws(() => told(undefined, { name: 'a', renewed: 60, asked: 9 }), /no candidate answered/);
});

test('nextStep leaves other strategies to others, and refuses what candidates disagree on', () => {
  const other = { name: 'a', strategy: 'example.com/mine' };
  assert.equal(told(undefined, other), 'elect undefined');
  assert.throws(() => told(undefined, other, { name: 'b' }), /"a" and "b" of the same binary version/);
  assert.equal(told(undefined, other, { name: 'b', binary: '1.38' }), 'elect a', 'the newest binary decides how');
});

test('startLeaderElection elects as soon as somebody stands, behind its gate', async () => {
  const clock = new FakeClock(nowMs);
  const common = { clock, log: silentLogger, random: seededRandom(1), store: memoryStore() };
  const gate = { CoordinatedLeaderElection: true };
  const server = await startApiServer({ ...common, featureGates: gate, runtimeConfig: { 'api/all': true } });
  const admin = server.transport('system:admin');
  const { metadata, spec } = candidate({ name: 'me' });
  const path = '/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates';
  await admin.request({ method: 'POST', path, body: { metadata: { name: metadata.name }, spec } });
  clock.advance(10);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const held = server.state.get('coordination.k8s.io', 'leases', 'l', 'default') as Lease | undefined;
  assert.equal(held?.spec?.holderIdentity, 'me');
  await server.stop();
});
