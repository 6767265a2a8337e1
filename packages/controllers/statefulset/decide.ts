import type { StatefulSet } from '@kubernode/api/apps/v1';
import type { Pod } from '@kubernode/api/core/v1';
import { resolveIntOrPercent } from '@kubernode/machinery';
import { isAvailable, isFinished, isReady } from '../shared/pods.ts';
import { isInRange, ordinalOf, replicasOf, revisionOf, startOf } from './identity.ts';

/** The pods by their place: those that are asked for, and those beyond, the highest first. */
export interface Places {
  /** In order; undefined where the pod misses. */
  readonly replicas: readonly { readonly ordinal: number; readonly pod: Pod | undefined }[];
  readonly condemned: readonly Pod[];
}

/** One thing to do with the pod of an ordinal. */
export type Step =
  | { readonly do: 'create'; readonly ordinal: number }
  | { readonly do: 'delete'; readonly pod: Pod }
  /** The pod stays; what belongs to it (labels, claims) is put in order. */
  | { readonly do: 'mend'; readonly pod: Pod; readonly claimsToo: boolean };

/** What is to be done now, in order. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Whether the set stands as asked for, so that an update may go on. */
  readonly isSettled: boolean;
}

export function placesOf(set: StatefulSet, pods: readonly Pod[]): Places {
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  const start = startOf(set);
  const replicas = Array.from({ length: replicasOf(set) }, (_, index) => start + index).map((ordinal) => ({
    ordinal,
    pod: byOrdinal.get(ordinal),
  }));
  const beyond = pods.filter((pod) => ordinalOf(pod) >= 0 && !isInRange(set, ordinalOf(pod)));
  return { replicas, condemned: beyond.toSorted((a, b) => ordinalOf(b) - ordinalOf(a)) };
}

const isEnding = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;
const isRunningAndReady = (pod: Pod) => pod.status.phase === 'Running' && isReady(pod);
const isUsable = (set: StatefulSet, pod: Pod, nowMs: number) =>
  pod.status.phase === 'Running' && isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);

/**
 * Brings the set to its size. With OrderedReady one pod after the other: the first that misses or is not available
 * holds up those after it; with Parallel all at once.
 */
export function scalePlan(set: StatefulSet, { replicas, condemned }: Places, nowMs: number): Plan {
  const isOrdered = set.spec.podManagementPolicy !== 'Parallel';
  const steps: Step[] = [];
  let isSettled = true;
  for (const { ordinal, pod } of replicas) {
    const step = replicaStep(ordinal, pod);
    if (step) steps.push(step);
    const isBlocking = !pod || isFinished(pod) || isEnding(pod) || !isUsable(set, pod, nowMs);
    if (!pod || isFinished(pod)) isSettled = false;
    if (isOrdered && isBlocking) return { steps, isSettled: false };
  }
  if (!isSettled) return { steps, isSettled };
  const firstUnhealthy = replicas.every(({ pod }) => pod && !isEnding(pod) && isRunningAndReady(pod))
    ? condemned.findLast((pod) => isEnding(pod) || !isRunningAndReady(pod))
    : undefined;
  for (const pod of condemned) {
    if (isEnding(pod)) {
      if (isOrdered) return { steps, isSettled: false };
      continue;
    }
    if (isOrdered && !isUsable(set, pod, nowMs) && pod !== firstUnhealthy) return { steps, isSettled: false };
    steps.push({ do: 'delete', pod });
    if (isOrdered) return { steps, isSettled: false };
  }
  return { steps, isSettled: true };
}

function replicaStep(ordinal: number, pod: Pod | undefined): Step | undefined {
  if (!pod) return { do: 'create', ordinal };
  // One that ended is deleted; once it is gone, its place is filled anew.
  if (isFinished(pod)) return isEnding(pod) ? undefined : { do: 'delete', pod };
  return { do: 'mend', pod, claimsToo: pod.status.phase === 'Pending' };
}

/**
 * The pods of an earlier revision that go now: from the highest ordinal down to the partition, as many at a time as
 * may be unavailable. A pod of the new revision that is not available yet holds up the next.
 */
export function updateDeletions(set: StatefulSet, { replicas }: Places, updateRevision: string, nowMs: number): Pod[] {
  const { type = 'RollingUpdate', rollingUpdate } = set.spec.updateStrategy;
  if (type !== 'RollingUpdate') return [];
  const limit = maxUnavailable(set);
  const deletions: Pod[] = [];
  let unavailable = 0;
  for (const { ordinal, pod } of replicas.toReversed()) {
    if (unavailable >= limit || ordinal < startOf(set) + (rollingUpdate?.partition ?? 0)) break;
    if (!pod || isEnding(pod)) unavailable++;
    else if (revisionOf(pod) !== updateRevision) {
      deletions.push(pod);
      unavailable++;
    } else if (!isUsable(set, pod, nowMs)) unavailable++;
  }
  return deletions;
}

function maxUnavailable(set: StatefulSet): number {
  const limit = set.spec.updateStrategy.rollingUpdate?.maxUnavailable ?? 1;
  return Math.max(1, resolveIntOrPercent(limit, replicasOf(set), { roundUp: true }));
}

/** Whether a pod made now is of the current revision: below the partition of a rolling update. */
export function needsCurrentRevision({ spec, status }: StatefulSet, ordinal: number): boolean {
  const { type = 'RollingUpdate', rollingUpdate } = spec.updateStrategy;
  if (type !== 'RollingUpdate') return false;
  const start = spec.ordinals?.start ?? 0;
  return ordinal < start + (rollingUpdate ? (rollingUpdate.partition ?? 0) : (status.currentReplicas ?? 0));
}
