import type { DaemonSetStatus } from '@kubernode/api/apps/v1';
import type { Pod } from '@kubernode/api/core/v1';
import { isAvailable, isReady } from '../shared/pods.ts';
import { byNode, type Situation } from './decide.ts';
import { isUpdated, placementOn } from './pods.ts';

/** Counts nodes, not pods: a node has what its oldest running pod has. */
export function statusOf({ set, nodes, pods, hash, nowMs }: Situation): DaemonSetStatus {
  const onNode = byNode(pods);
  const numbers = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
  for (const node of nodes) {
    const first = onNode.get(node.metadata.name)?.toSorted(runningThenOlder)[0];
    const { shouldRun } = placementOn(set, node);
    if (!shouldRun) {
      if (first) numbers.misscheduled++;
      continue;
    }
    numbers.desired++;
    if (!first) continue;
    numbers.current++;
    if (isReady(first)) numbers.ready++;
    if (isAvailable(first, set.spec.minReadySeconds ?? 0, nowMs)) numbers.available++;
    if (isUpdated(set, first, hash)) numbers.updated++;
  }
  const { collisionCount, conditions } = set.status;
  return {
    currentNumberScheduled: numbers.current,
    numberMisscheduled: numbers.misscheduled,
    desiredNumberScheduled: numbers.desired,
    numberReady: numbers.ready,
    observedGeneration: set.metadata.generation,
    updatedNumberScheduled: numbers.updated || undefined,
    numberAvailable: numbers.available || undefined,
    numberUnavailable: numbers.desired - numbers.available || undefined,
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions ? { conditions } : {}),
  };
}

function runningThenOlder(a: Pod, b: Pod): number {
  const isRunning = ({ status }: Pod) => (status.phase === 'Running' ? 0 : 1);
  return isRunning(a) - isRunning(b) || (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1);
}
