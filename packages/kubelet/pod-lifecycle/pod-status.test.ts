import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, PodStatus } from '@kubernode/api/core/v1';
import { noVerdicts, stateWord, testContainer, testPod, testRuntime } from '../testing/objects.ts';
import type { StartFailure } from './container-status.ts';
import { computePodStatus, type PodStatusInput } from './pod-status.ts';
import { emptyRuntimePod } from './runtime-pod.ts';

function compute(pod: Pod, more: Partial<PodStatusInput> = {}): PodStatus {
  return computePodStatus({
    pod,
    previous: {},
    runtime: emptyRuntimePod,
    startFailures: new Map<string, StartFailure>(),
    probes: noVerdicts,
    hostIps: ['192.168.0.1'],
    runtimeName: 'kubernode',
    nowMs: Date.parse('2026-01-01T00:00:00Z'),
    ...more,
  });
}

/** `Phase | conditions that are True | main's state, restarts`. */
function summary(status: PodStatus): string {
  const conditions = (status.conditions ?? []).filter(({ status: value }) => value === 'True').map(({ type }) => type);
  const short = conditions.map((type) => type.replace(/[a-z]/g, '')).join(' ');
  const main = status.containerStatuses?.[0];
  return `${status.phase} | ${short} | ${main ? stateWord(main) : ''} ${main?.restartCount} ${main?.ready ? 'ready' : ''}`;
}

const pod = testPod();
const readiness = testPod({ containers: [{ name: 'main', resources: {}, readinessProbe: {} }] });
const never = testPod({ restartPolicy: 'Never' });
const init = testPod({ initContainers: [{ name: 'i', resources: {} }] });
const failure = { reason: 'CrashLoopBackOff', message: 'back-off 10s' };
const crashed = testRuntime(
  testContainer(pod, 'main', { state: 'exited', exitCode: 1, attempt: 1 }),
  testContainer(pod, 'main', { state: 'exited', exitCode: 2 }),
);

const cases: { name: string; status: PodStatus; expected: string }[] = [
  { name: 'new', status: compute(pod), expected: 'Pending | I PS | waiting:ContainerCreating 0 ' },
  { name: 'new with init', status: compute(init), expected: 'Pending | PS | waiting:PodInitializing 0 ' },
  {
    name: 'running',
    status: compute(pod, { runtime: testRuntime(testContainer(pod, 'main')) }),
    expected: 'Running | PRTSC I R CR PS | running 0 ready',
  },
  {
    name: 'running, not ready',
    status: compute(readiness, { runtime: testRuntime(testContainer(readiness, 'main')) }),
    expected: 'Running | PRTSC I PS | running 0 ',
  },
  {
    name: 'crash loop',
    status: compute(pod, { runtime: crashed, startFailures: new Map([['main', failure]]) }),
    expected: 'Running | PRTSC I PS | waiting:CrashLoopBackOff 1 ',
  },
  {
    name: 'image not there',
    status: compute(pod, {
      runtime: testRuntime(),
      startFailures: new Map([['main', { reason: 'ErrImagePull', message: '' }]]),
    }),
    expected: 'Pending | PRTSC I PS | waiting:ErrImagePull 0 ',
  },
  {
    name: 'succeeded',
    status: compute(never, { runtime: testRuntime(testContainer(never, 'main', { state: 'exited' })) }),
    expected: 'Succeeded | PRTSC I PS | terminated:Completed 0 ',
  },
  {
    name: 'failed',
    status: compute(never, {
      runtime: testRuntime(testContainer(never, 'main', { state: 'exited', exitCode: 137, reason: 'OOMKilled' })),
    }),
    expected: 'Failed | PRTSC I PS | terminated:OOMKilled 0 ',
  },
  {
    name: 'init runs',
    status: compute(init, { runtime: testRuntime(testContainer(init, 'i')) }),
    expected: 'Pending | PRTSC PS | waiting:PodInitializing 0 ',
  },
  {
    name: 'ended while it would restart',
    status: compute(pod, {
      runtime: testRuntime(testContainer(pod, 'main', { state: 'exited' })),
      ending: true,
    }),
    expected: 'Succeeded | PRTSC I PS | terminated:Completed 0 ',
  },
  {
    name: 'over its deadline',
    status: compute(pod, { failure: { reason: 'DeadlineExceeded', message: 'm' } }),
    expected: 'Failed | I PS | waiting:ContainerCreating 0 ',
  },
];
for (const { name, status, expected } of cases) {
  test(`computePodStatus: ${name}`, () => assert.equal(summary(status), expected));
}

test('computePodStatus: the last state is the container before', () => {
  const status = compute(pod, { runtime: crashed, startFailures: new Map([['main', failure]]) });
  assert.equal(status.containerStatuses?.[0]?.lastState.terminated?.exitCode, 1);
});

test('computePodStatus: a terminal phase stays, with its reason', () => {
  const previous: PodStatus = { phase: 'Failed', reason: 'DeadlineExceeded', message: 'm' };
  const status = compute(pod, { previous, runtime: testRuntime(testContainer(pod, 'main')) });
  assert.deepEqual([status.phase, status.reason], ['Failed', 'DeadlineExceeded']);
});

test('computePodStatus: transition times move only with the status', () => {
  const runtime = testRuntime(testContainer(pod, 'main'));
  const first = compute(pod, { runtime });
  const later = compute(pod, { runtime, previous: first, nowMs: Date.parse('2026-01-01T01:00:00Z') });
  assert.deepEqual(later.conditions, first.conditions);
  assert.equal(later.startTime, first.startTime);
});

test('computePodStatus: readiness gates and foreign conditions', () => {
  const gated: Pod = {
    ...testPod({ readinessGates: [{ conditionType: 'x/y' }] }),
    status: { conditions: [{ type: 'x/y', status: 'False' }] },
  };
  const status = compute(gated, { runtime: testRuntime(testContainer(gated, 'main')) });
  assert.equal(status.conditions?.[0]?.type, 'x/y');
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  assert.equal(ready?.message, 'the status of pod readiness gate "x/y" is not "True", but False');
});

test('computePodStatus: a container that was lost counts as ended', () => {
  const previous = compute(pod, { runtime: testRuntime(testContainer(pod, 'main')) });
  const status = compute(pod, { previous, runtime: testRuntime() });
  const main = status.containerStatuses?.[0];
  assert.equal(main?.lastState.terminated?.reason, 'ContainerStatusUnknown');
  assert.equal(main?.restartCount, 1);
  assert.equal(status.phase, 'Running');
});

test('computePodStatus: quality of service', () => {
  const withResources = (requests?: Record<string, string>, limits?: Record<string, string>) =>
    compute(testPod({ containers: [{ name: 'main', resources: { requests, limits } }] })).qosClass;
  assert.equal(withResources(), 'BestEffort');
  assert.equal(withResources({ cpu: '1' }), 'Burstable');
  const both = { cpu: '1', memory: '1Gi' };
  assert.equal(withResources(both, { cpu: '1000m', memory: '1024Mi' }), 'Guaranteed');
});
