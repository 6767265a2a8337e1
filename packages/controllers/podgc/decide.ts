import type { Node, Pod } from '@kubernode/api/core/v1';
import { isFinished } from '../shared/pods.ts';

/** Upstream's `--terminated-pod-gc-threshold`. */
const finishedPodsMax = 12_500;

const outOfServiceTaint = 'node.kubernetes.io/out-of-service';

/** The oldest of the ended pods, as many as are too many. */
export function surplusFinished(pods: readonly Pod[], max = finishedPodsMax): Pod[] {
  const finished = pods.filter(isFinished);
  if (finished.length <= max) return [];
  const age = ({ metadata }: Pod) => `${metadata.creationTimestamp} ${metadata.namespace}/${metadata.name}`;
  return finished.toSorted((a, b) => (age(a) < age(b) ? -1 : 1)).slice(0, finished.length - max);
}

/** Deleted before a node was found: no kubelet will ever end them. */
export function unscheduledTerminating(pods: readonly Pod[]): Pod[] {
  return pods.filter(({ metadata, spec }) => metadata.deletionTimestamp !== undefined && !spec.nodeName);
}

/** Deleted, on a node that is down and that somebody declared out of service. */
export function outOfService(pods: readonly Pod[], nodeOf: (name: string) => Node | undefined): Pod[] {
  return pods.filter(({ metadata, spec }) => {
    const node = metadata.deletionTimestamp && spec.nodeName ? nodeOf(spec.nodeName) : undefined;
    if (!node) return false;
    const isUp = node.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
    return !isUp && node.spec.taints?.some(({ key }) => key === outOfServiceTaint);
  });
}
