import type { Container, EphemeralContainer, Pod } from '@kubernode/api/core/v1';
import { containerHash } from '../pod-lifecycle/hash.ts';

/** Upstream's labels and annotations: a kubelet that starts anew finds its pods and containers again by them. */
export const labels = {
  podName: 'io.kubernetes.pod.name',
  podNamespace: 'io.kubernetes.pod.namespace',
  podUid: 'io.kubernetes.pod.uid',
  containerName: 'io.kubernetes.container.name',
} as const;

export const annotations = {
  containerHash: 'io.kubernetes.container.hash',
  restartCount: 'io.kubernetes.container.restartCount',
  terminationMessagePath: 'io.kubernetes.container.terminationMessagePath',
  terminationMessagePolicy: 'io.kubernetes.container.terminationMessagePolicy',
  gracePeriod: 'io.kubernetes.pod.terminationGracePeriod',
  preStop: 'io.kubernetes.container.preStopHandler',
} as const;

export function podLabels({ metadata }: Pod): Record<string, string> {
  return {
    ...metadata.labels,
    [labels.podName]: metadata.name,
    [labels.podNamespace]: metadata.namespace ?? '',
    [labels.podUid]: metadata.uid,
  };
}

export function containerLabels(pod: Pod, { name }: Container | EphemeralContainer): Record<string, string> {
  return {
    [labels.podName]: pod.metadata.name,
    [labels.podNamespace]: pod.metadata.namespace ?? '',
    [labels.podUid]: pod.metadata.uid,
    [labels.containerName]: name,
  };
}

export function containerAnnotations(
  pod: Pod,
  container: Container | EphemeralContainer,
  attempt: number,
): Record<string, string> {
  const { terminationGracePeriodSeconds } = pod.spec;
  return {
    [annotations.containerHash]: containerHash(container),
    [annotations.restartCount]: String(attempt),
    [annotations.terminationMessagePath]: container.terminationMessagePath ?? '/dev/termination-log',
    [annotations.terminationMessagePolicy]: container.terminationMessagePolicy ?? 'File',
    ...(terminationGracePeriodSeconds === undefined
      ? {}
      : { [annotations.gracePeriod]: String(terminationGracePeriodSeconds) }),
    ...(container.lifecycle?.preStop ? { [annotations.preStop]: JSON.stringify(container.lifecycle.preStop) } : {}),
  };
}
