import type { Pod, PodCondition } from '@kubernode/api/core/v1';
import { parseTime } from '@kubernode/machinery';

/** Not ended, and not on its way out: what counts as a replica. */
export function isActive({ metadata, status }: Pod): boolean {
  return !isFinished({ status }) && metadata.deletionTimestamp === undefined;
}

export function isFinished({ status }: Pick<Pod, 'status'>): boolean {
  return status.phase === 'Succeeded' || status.phase === 'Failed';
}

/** Deleted, and still there until its containers have ended. */
export function isTerminating({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && !isFinished({ status });
}

export function readyCondition({ status }: Pod): PodCondition | undefined {
  return status.conditions?.find(({ type }) => type === 'Ready');
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === 'True';
}

/** How long until the pod has been ready for `minReadySeconds`: 0 if it has, undefined if it is not ready. */
function availableInMs(pod: Pod, minReadySeconds: number, nowMs: number): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== 'True') return undefined;
  if (minReadySeconds === 0) return 0;
  const sinceMs = condition.lastTransitionTime ? parseTime(condition.lastTransitionTime) : undefined;
  return sinceMs === undefined ? undefined : Math.max(0, sinceMs + minReadySeconds * 1000 - nowMs);
}

export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  return availableInMs(pod, minReadySeconds, nowMs) === 0;
}

/** Of the most restarted container. */
export function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}

/** When the next ready pod will have been so for long enough; undefined where none is waited for. */
export function nextAvailableMs(
  pods: readonly Pod[],
  minReadySeconds: number | undefined,
  nowMs: number,
): number | undefined {
  let next: number | undefined;
  if (!minReadySeconds) return undefined;
  for (const pod of pods) {
    const waitMs = isActive(pod) ? availableInMs(pod, minReadySeconds, nowMs) : undefined;
    if (waitMs !== undefined && waitMs > 0 && waitMs < (next ?? Infinity)) next = waitMs;
  }
  return next;
}
