import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from '@kubernode/api/apps/v1';
import type { Pod, ReplicationController } from '@kubernode/api/core/v1';
import { formatTime, labelSelectorMatcher } from '@kubernode/machinery';
import { isActive, isAvailable, isReady } from '../shared/pods.ts';

/** What a reconciliation could not do: shown as condition ReplicaFailure until it succeeds. */
export interface Failure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly message: string;
}

/** The status that the pods make, with what is kept of the old one. */
export function statusOf(
  set: ReplicaSet | ReplicationController,
  pods: readonly Pod[],
  failure: Failure | undefined,
  nowMs: number,
): Omit<ReplicaSetStatus, 'terminatingReplicas'> {
  const active = pods.filter(isActive);
  const labels = labelSelectorMatcher({ matchLabels: set.spec.template?.metadata.labels ?? {} });
  const count = (test: (pod: Pod) => boolean) => active.filter(test).length || undefined;
  const conditions = conditionsOf(set, failure, nowMs);
  return {
    replicas: active.length,
    fullyLabeledReplicas: count(({ metadata }) => labels.matches(metadata.labels)),
    readyReplicas: count(isReady),
    availableReplicas: count((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs)),
    observedGeneration: set.metadata.generation,
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

function conditionsOf(
  { status }: ReplicaSet | ReplicationController,
  failure: Failure | undefined,
  nowMs: number,
): ReplicaSetCondition[] {
  const old = status.conditions ?? [];
  const others = old.filter(({ type }) => type !== 'ReplicaFailure');
  if (!failure) return others;
  const known = old.find(({ type }) => type === 'ReplicaFailure');
  if (known?.reason === failure.reason) return old;
  return [...others, { type: 'ReplicaFailure', status: 'True', lastTransitionTime: formatTime(nowMs), ...failure }];
}
