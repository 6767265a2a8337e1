import type { ControllerRevision, StatefulSet, StatefulSetStatus } from '@kubernode/api/apps/v1';
import type { Pod } from '@kubernode/api/core/v1';
import { isAvailable, isReady } from '../shared/pods.ts';
import { replicasOf, revisionOf } from './identity.ts';

export interface Revisions {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly collisionCount: number;
}

/** The numbers that the pods make. A finished rolling update makes its revision the current one. */
export function statusOf(
  set: StatefulSet,
  pods: readonly Pod[],
  { current, update, collisionCount }: Revisions,
  nowMs: number,
): StatefulSetStatus {
  const count = (test: (pod: Pod) => boolean) => pods.filter(test).length;
  const isCounted = (pod: Pod, { metadata }: ControllerRevision) =>
    pod.metadata.deletionTimestamp === undefined && revisionOf(pod) === metadata.name;
  const isRunning = ({ status }: Pod) => status.phase === 'Running';
  const readyReplicas = count((pod) => isRunning(pod) && isReady(pod));
  const updated = count((pod) => isCounted(pod, update));
  const wanted = replicasOf(set);
  const isComplete =
    (set.spec.updateStrategy.type ?? 'RollingUpdate') === 'RollingUpdate' &&
    updated === wanted &&
    pods.length === wanted &&
    readyReplicas === wanted;
  const { conditions } = set.status;
  return {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    readyReplicas: readyReplicas || undefined,
    currentReplicas: (isComplete ? updated : count((pod) => isCounted(pod, current))) || undefined,
    updatedReplicas: updated || undefined,
    currentRevision: isComplete ? update.metadata.name : current.metadata.name,
    updateRevision: update.metadata.name,
    collisionCount,
    availableReplicas: count((pod) => isRunning(pod) && isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs)),
    ...(conditions ? { conditions } : {}),
  };
}
