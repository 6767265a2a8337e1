import type { ContainerStatus, Pod, PodSpec } from '@kubernode/api/core/v1';
import type { ObjectMeta } from '@kubernode/api/meta/v1';
import { containerHash } from '../pod-lifecycle/hash.ts';
import type { RuntimeContainer, RuntimePod } from '../pod-lifecycle/runtime-pod.ts';

export function testMeta(meta: Partial<ObjectMeta> = {}): ObjectMeta {
  return {
    name: 'web',
    namespace: 'default',
    uid: 'uid-web',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...meta,
  };
}

/** A pod of one container `main`, unless the spec says otherwise. */
export function testPod(spec: Partial<PodSpec> = {}, meta: Partial<ObjectMeta> = {}): Pod {
  const containers = spec.containers ?? [{ name: 'main', image: 'busybox', resources: {} }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: testMeta(meta),
    spec: { restartPolicy: 'Always', ...spec, containers },
    status: {},
  };
}

/** What the runtime says of a container, as if the pod's own spec had made it. */
export function testContainer(pod: Pod, name: string, more: Partial<RuntimeContainer> = {}): RuntimeContainer {
  const specs = [...(pod.spec.initContainers ?? []), ...pod.spec.containers, ...(pod.spec.ephemeralContainers ?? [])];
  const spec = specs.find((container) => container.name === name);
  return {
    id: `${name}-${more.attempt ?? 0}`,
    name,
    sandboxId: 'sandbox-0',
    attempt: 0,
    state: 'running',
    image: spec?.image ?? '',
    imageRef: `${spec?.image}@sha256:0`,
    hash: spec ? containerHash(spec) : '',
    createdAtMs: 1_000,
    startedAtMs: 2_000,
    finishedAtMs: more.state === 'exited' ? 3_000 : 0,
    exitCode: 0,
    reason: '',
    message: '',
    logPath: '',
    ...more,
  };
}

/** A pod whose sandbox runs; the containers newest first. */
export function testRuntime(...containers: RuntimeContainer[]): RuntimePod {
  const sandbox = { id: 'sandbox-0', attempt: 0, ready: true, createdAtMs: 0, hostNetwork: false, ips: ['10.0.0.2'] };
  return { sandboxes: [sandbox], containers, ips: ['10.0.0.2'] };
}

export const noVerdicts = { liveness: () => undefined, readiness: () => undefined, startup: () => undefined };

/** The shortest word for a container's state: `running`, `waiting:CrashLoopBackOff`, `terminated:Error`. */
export function stateWord({ state }: ContainerStatus): string {
  if (state.running) return 'running';
  if (state.terminated) return `terminated:${state.terminated.reason}`;
  return `waiting:${state.waiting?.reason ?? ''}`;
}
