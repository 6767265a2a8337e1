import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, Pod } from '@kubernode/api/core/v1';
import { noVerdicts, testContainer, testPod, testRuntime } from '../testing/objects.ts';
import type { ProbeVerdicts } from './kill.ts';
import { planPod, type PodPlan } from './plan.ts';
import { emptyRuntimePod, type RuntimePod } from './runtime-pod.ts';

/** One line that says what a plan does. */
function script(plan: PodPlan): string {
  const parts = [
    plan.killPod && 'kill-pod',
    ...plan.kills.map(({ message }) => `kill(${message})`),
    plan.createSandbox && `sandbox#${plan.attempt}`,
    plan.startEphemeral.length > 0 && `ephemeral ${plan.startEphemeral.join()}`,
    plan.startInit.length > 0 && `init ${plan.startInit.join()}`,
    plan.start.length > 0 && `start ${plan.start.join()}`,
  ];
  return parts.filter(Boolean).join('; ');
}

const container = (name: string, more: Partial<Container> = {}): Container => ({
  name,
  image: 'i',
  resources: {},
  ...more,
});
const one = testPod();
const two = testPod({ containers: [container('a'), container('b')] });
const withInit = testPod({ initContainers: [container('i0'), container('i1')] });
const sidecar = container('side', { restartPolicy: 'Always' });
const withSidecar = testPod({ initContainers: [sidecar, container('i1')] });
const probing = container('main', { livenessProbe: {}, image: 'busybox' });
const startupSidecar = testPod({ initContainers: [{ ...sidecar, startupProbe: {} }] });
const never = (pod: Pod): Pod => ({ ...pod, spec: { ...pod.spec, restartPolicy: 'Never' } });
const onFailure = (pod: Pod): Pod => ({ ...pod, spec: { ...pod.spec, restartPolicy: 'OnFailure' } });
const ended = { state: 'exited' as const };
const failed = { state: 'exited' as const, exitCode: 1 };
const deadSandbox = (runtime: RuntimePod): RuntimePod => ({
  ...runtime,
  sandboxes: runtime.sandboxes.map((sandbox) => ({ ...sandbox, ready: false })),
});

const cases: { name: string; pod: Pod; runtime: RuntimePod; probes?: Partial<ProbeVerdicts>; expected: string }[] = [
  { name: 'a new pod', pod: one, runtime: emptyRuntimePod, expected: 'kill-pod; sandbox#0; start 0' },
  { name: 'a new pod with init', pod: withInit, runtime: emptyRuntimePod, expected: 'kill-pod; sandbox#0; init 0' },
  { name: 'all is well', pod: one, runtime: testRuntime(testContainer(one, 'main')), expected: '' },
  { name: 'one of two ended', pod: two, runtime: testRuntime(testContainer(two, 'a')), expected: 'start 1' },
  {
    name: 'a container that ended is started again',
    pod: one,
    runtime: testRuntime(testContainer(one, 'main', ended)),
    expected: 'start 0',
  },
  {
    name: 'a success under OnFailure ends the pod',
    pod: onFailure(one),
    runtime: testRuntime(testContainer(one, 'main', ended)),
    expected: 'kill-pod',
  },
  {
    name: 'a failure under Never ends the pod',
    pod: never(one),
    runtime: testRuntime(testContainer(one, 'main', failed)),
    expected: 'kill-pod',
  },
  {
    name: 'container-level policy beats the pod',
    pod: never(testPod({ containers: [container('a', { restartPolicy: 'OnFailure' })] })),
    runtime: testRuntime(testContainer(two, 'a', failed)),
    expected: 'start 0',
  },
  {
    name: 'a sandbox that died takes all with it',
    pod: one,
    runtime: deadSandbox(testRuntime(testContainer(one, 'main', ended))),
    expected: 'kill-pod; sandbox#1; start 0',
  },
  {
    name: 'a sandbox that died is not made anew under Never',
    pod: never(one),
    runtime: deadSandbox(testRuntime(testContainer(one, 'main', ended))),
    expected: 'kill-pod',
  },
  {
    name: 'another image: definition changed',
    pod: one,
    runtime: testRuntime(testContainer(one, 'main', { hash: 'other' })),
    expected: 'kill(Container main definition changed, will be restarted); start 0',
  },
  {
    name: 'liveness failed',
    pod: testPod({ containers: [probing] }),
    runtime: testRuntime(testContainer(one, 'main')),
    probes: { liveness: () => false },
    expected: 'kill(Container main failed liveness probe, will be restarted); start 0',
  },
  {
    name: 'liveness failed under Never',
    pod: never(testPod({ containers: [probing] })),
    runtime: testRuntime(testContainer(one, 'main')),
    probes: { liveness: () => false },
    expected: 'kill-pod',
  },
  {
    name: 'the first init container runs',
    pod: withInit,
    runtime: testRuntime(testContainer(withInit, 'i0')),
    expected: '',
  },
  {
    name: 'the first init container is done',
    pod: withInit,
    runtime: testRuntime(testContainer(withInit, 'i0', ended)),
    expected: 'init 1',
  },
  {
    name: 'an init container failed',
    pod: withInit,
    runtime: testRuntime(testContainer(withInit, 'i0', failed)),
    expected: 'init 0',
  },
  {
    name: 'an init container failed under Never',
    pod: never(withInit),
    runtime: testRuntime(testContainer(withInit, 'i0', failed)),
    expected: 'kill-pod',
  },
  {
    name: 'init is done',
    pod: withInit,
    runtime: testRuntime(testContainer(withInit, 'i1', ended)),
    expected: 'start 0',
  },
  {
    name: 'a sidecar has started: the next one may',
    pod: withSidecar,
    runtime: testRuntime(testContainer(withSidecar, 'side')),
    expected: 'init 1',
  },
  {
    name: 'a sidecar that died later is restarted beside the regular ones',
    pod: withSidecar,
    runtime: testRuntime(
      testContainer(withSidecar, 'main'),
      testContainer(withSidecar, 'i1', ended),
      testContainer(withSidecar, 'side', ended),
    ),
    expected: 'init 0',
  },
  {
    name: 'a sidecar waits for its startup probe',
    pod: startupSidecar,
    runtime: testRuntime(testContainer(startupSidecar, 'side')),
    expected: '',
  },
  {
    name: 'a sidecar passed its startup probe',
    pod: startupSidecar,
    runtime: testRuntime(testContainer(startupSidecar, 'side')),
    probes: { startup: () => true },
    expected: 'start 0',
  },
  {
    name: 'sidecars do not keep a finished pod alive',
    pod: never(withSidecar),
    runtime: testRuntime(
      testContainer(withSidecar, 'main', ended),
      testContainer(withSidecar, 'i1', ended),
      testContainer(withSidecar, 'side'),
    ),
    expected: 'kill-pod',
  },
  {
    name: 'an ephemeral container starts once',
    pod: testPod({ ephemeralContainers: [{ name: 'debug', image: 'i', resources: {} }] }),
    runtime: testRuntime(testContainer(one, 'main')),
    expected: 'ephemeral 0',
  },
  {
    name: 'an unknown container is ended first',
    pod: one,
    runtime: testRuntime(testContainer(one, 'main', { state: 'unknown' })),
    expected: 'kill(Container is in "unknown" state, try killing it before restart); start 0',
  },
];
for (const { name, pod, runtime, probes, expected } of cases) {
  test(`planPod: ${name}`, () => assert.equal(script(planPod(pod, runtime, { ...noVerdicts, ...probes })), expected));
}
