import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node, Pod, PodSpec, PodStatus } from '@kubernode/api/core/v1';
import { FakeClock } from '@kubernode/machinery';
import { testContainer, testMeta, testPod, testRuntime } from '../testing/objects.ts';
import { admitPod } from './admission.ts';
import { garbageOf } from './garbage.ts';
import { graceSeconds } from './kill-container.ts';
import { statusPatch } from './status-patch.ts';
import { WakeUp } from './wake-up.ts';

const node = {
  metadata: testMeta({ name: 'node-1', namespace: '', labels: { zone: 'a', rank: '5' } }),
  spec: {},
  status: { allocatable: { cpu: '2', memory: '1Gi', pods: '2' } },
} as unknown as Node;
const asking = (cpu: string): Pod => testPod({ containers: [{ name: 'main', resources: { requests: { cpu } } }] });
const affinity = (key: string, operator: string, values: string[]): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator: operator as 'In', values }] }],
      },
    },
  },
});
const withPort = testPod({
  containers: [{ name: 'main', resources: {}, ports: [{ containerPort: 80, hostPort: 80 }] }],
});
const sysctl = (name: string) => testPod({ securityContext: { sysctls: [{ name, value: '1' }] } });

const admissions: { name: string; pod: Pod; others?: Pod[]; expected: string | undefined }[] = [
  { name: 'fits', pod: asking('1'), others: [asking('1')], expected: undefined },
  { name: 'too much cpu', pod: asking('1500m'), others: [asking('1')], expected: 'OutOfcpu' },
  { name: 'too many pods', pod: testPod(), others: [testPod(), testPod()], expected: 'OutOfpods' },
  { name: 'selector', pod: testPod({ nodeSelector: { zone: 'b' } }), expected: 'NodeAffinity' },
  { name: 'affinity', pod: testPod(affinity('zone', 'In', ['a'])), expected: undefined },
  { name: 'affinity by number', pod: testPod(affinity('rank', 'Gt', ['5'])), expected: 'NodeAffinity' },
  { name: 'host port', pod: withPort, others: [withPort], expected: 'NodePorts' },
  { name: 'safe sysctl', pod: sysctl('net.ipv4.tcp_syncookies'), expected: undefined },
  { name: 'unsafe sysctl', pod: sysctl('kernel.msgmax'), expected: 'SysctlForbidden' },
  { name: 'runtime class', pod: testPod({ runtimeClassName: 'kata' }), expected: 'UnexpectedAdmissionError' },
];
for (const { name, pod, others = [], expected } of admissions) {
  test(`admitPod: ${name}`, () => assert.equal(admitPod(pod, others, node)?.reason, expected));
}

test('garbageOf: keeps the running and the last dead container, and sandboxes that hold one', () => {
  const pod = testPod();
  const dead = (attempt: number, sandboxId = 'sandbox-0') =>
    testContainer(pod, 'main', { state: 'exited', attempt, sandboxId });
  const runtime = testRuntime(testContainer(pod, 'main', { attempt: 3 }), dead(2), dead(1), dead(0, 'old'));
  const old = { ...(runtime.sandboxes[0] as (typeof runtime.sandboxes)[number]), id: 'old', ready: false };
  const garbage = garbageOf({ ...runtime, sandboxes: [...runtime.sandboxes, old] });
  assert.deepEqual(
    garbage.containers.map(({ attempt }) => attempt),
    [1, 0],
  );
  assert.deepEqual(garbage.sandboxIds, ['old']);
});

test('graceSeconds: deletion over probe over pod', () => {
  const spec: Partial<PodSpec> = {
    terminationGracePeriodSeconds: 30,
    containers: [{ name: 'main', resources: {}, livenessProbe: { terminationGracePeriodSeconds: 5 } }],
  };
  assert.equal(graceSeconds(testPod(spec), 'main', 'other'), 30);
  assert.equal(graceSeconds(testPod(spec), 'main', 'liveness'), 5);
  assert.equal(graceSeconds(testPod(spec, { deletionGracePeriodSeconds: 9 }), 'main', 'liveness'), 9);
  assert.equal(graceSeconds(testPod(), 'main', 'other'), 2);
  const long = (2n ** 53n + 1n) as unknown as number;
  assert.equal(graceSeconds(testPod({ terminationGracePeriodSeconds: long }), 'main', 'other'), 2 ** 53);
});

test('statusPatch: only what differs, and takes away what is no more', () => {
  const ready = { type: 'Ready', status: 'False', reason: 'ContainersNotReady', lastTransitionTime: 't1' };
  const from: PodStatus = { phase: 'Pending', reason: 'x', conditions: [ready, { type: 'Other', status: 'True' }] };
  assert.equal(statusPatch(from, from), undefined);
  const to: PodStatus = {
    phase: 'Running',
    podIPs: [{ ip: '10.0.0.2' }],
    conditions: [
      { type: 'Ready', status: 'True', lastTransitionTime: 't2' },
      { type: 'Other', status: 'True' },
    ],
  };
  assert.deepEqual(statusPatch(from, to), {
    phase: 'Running',
    reason: null,
    podIPs: [{ $patch: 'replace' }, { ip: '10.0.0.2' }],
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: 't2', message: null, reason: null }],
  });
});

test('WakeUp: rings at the earliest time, once', async () => {
  const clock = new FakeClock();
  const wake = new WakeUp(clock);
  const rung: number[] = [];
  const listen = async () => {
    while (await wake.next()) rung.push(clock.now());
  };
  const listening = listen();
  const startMs = clock.now();
  wake.in(5_000);
  wake.in(2_000);
  await clock.advance(10_000);
  wake.now();
  await clock.advance(0);
  assert.deepEqual(
    rung.map((atMs) => atMs - startMs),
    [2_000, 10_000],
  );
  wake.stop();
  await listening;
});
