import { isReason } from '@kubernode/api';
import { Job } from '@kubernode/api/batch/v1';
import { Pod } from '@kubernode/api/core/v1';
import type { ReconcileContext } from '@kubernode/client';
import { podsToDelete } from '../replicaset/rank.ts';
import { isNamespaceTerminating } from '../shared/namespace-terminating.ts';
import { withKind } from '../shared/owner-reference.ts';
import { isTerminating } from '../shared/pods.ts';
import { slowStart } from '../shared/slow-start.ts';
import { remainingMs, remainingOfIndexMs, type FailureRecord } from './backoff.ts';
import { judge } from './failure-policy.ts';
import {
  countsPerIndex,
  indexOf,
  isIndexed,
  isTracked,
  podOf,
  replacesFailedOnly,
  trackingFinalizer,
} from './job-pods.ts';
import { wantedActive } from './outcome.ts';
import type { Tally } from './tally.ts';

/** One reconciliation makes or ends at most this many pods. */
const burstMax = 500;

export interface Managed {
  /** Pods that run afterwards. */
  readonly active: number;
  /** Pods that were sent on their way out. */
  readonly removed: number;
  readonly error?: unknown;
  /** Pods that are to be made later, because earlier ones failed. */
  readonly requeueAfterMs?: number | undefined;
}

/** Brings the number of running pods to what the job asks for now. */
export async function managePods(
  job: Job,
  pods: readonly Pod[],
  counts: Tally,
  failures: FailureRecord | undefined,
  context: ReconcileContext,
): Promise<Managed> {
  const active = counts.active.length;
  const wanted = wantedActive(job, counts);
  const surplus = surplusPods(job, counts.active, active - wanted, context.now()).slice(0, burstMax);
  if (surplus.length > 0) {
    const { removed, error } = await removePods(job, surplus, { untracked: true }, context);
    return { active: active - removed, removed, error };
  }
  const ending = replacesFailedOnly(job) ? counts.terminating : 0;
  const missing = Math.min(burstMax, wanted - active - ending);
  if (missing <= 0) return { active, removed: 0 };
  const waitMs = countsPerIndex(job) || !failures ? 0 : remainingMs(failures, context.now());
  if (waitMs > 0) return { active, removed: 0, requeueAfterMs: waitMs };
  const { indexes, requeueAfterMs } = pendingIndexes(job, pods, counts, missing, context.now());
  const count = indexes ? indexes.length : missing;
  const { succeeded, error } = await slowStart(count, (at) => createPod(job, indexes?.[at], counts, context));
  return { active: active + succeeded, removed: 0, error, requeueAfterMs };
}

/** Pods that go first of all: of an index that another pod has, or that the job has no longer; then by rank. */
function surplusPods(job: Job, active: readonly Pod[], atLeast: number, nowMs: number): Pod[] {
  if (!isIndexed(job)) return podsToDelete(active, [], Math.max(0, atLeast), nowMs);
  const surplus: Pod[] = [];
  const kept = new Map<number, Pod>();
  for (const pod of active.toSorted((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1))) {
    const index = indexOf(pod, job);
    if (index === undefined || kept.has(index)) surplus.push(pod);
    else kept.set(index, pod);
  }
  const more = Math.max(0, atLeast - surplus.length);
  return [...surplus, ...podsToDelete([...kept.values()], [], more, nowMs)];
}

/** The lowest indexes that nothing runs for; those whose last try failed a short while ago have to wait. */
function pendingIndexes(job: Job, pods: readonly Pod[], counts: Tally, count: number, nowMs: number) {
  if (!isIndexed(job)) return { indexes: undefined, requeueAfterMs: undefined };
  const isBusy = replacesFailedOnly(job) ? [...counts.active, ...pods.filter(isTerminating)] : counts.active;
  const busy = new Set(isBusy.map((pod) => indexOf(pod, job)));
  const indexes: number[] = [];
  let requeueAfterMs: number | undefined;
  for (let index = 0; index < (job.spec.completions ?? 0) && indexes.length < count; index++) {
    if (busy.has(index) || counts.succeededIndexes.has(index) || counts.failedIndexes?.has(index)) continue;
    const failed = counts.held.get(index);
    const waitMs = failed ? remainingOfIndexMs(failed, nowMs) : 0;
    if (waitMs > 0) requeueAfterMs = Math.min(requeueAfterMs ?? waitMs, waitMs);
    else indexes.push(index);
  }
  return { indexes, requeueAfterMs };
}

async function createPod(job: Job, index: number | undefined, counts: Tally, { client, recorder }: ReconcileContext) {
  const object = withKind(Job, job);
  const failed = index === undefined ? undefined : counts.held.get(index);
  try {
    const replaced = failed && { pod: failed, counts: judge(failed, job).counts };
    const pod = await client.create(Pod, podOf(job, index, replaced));
    recorder.event(object, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
  } catch (error) {
    if (!isNamespaceTerminating(error)) {
      recorder.event(object, 'Warning', 'FailedCreate', `Error creating: ${(error as Error).message}`);
    }
    throw error;
  }
}

/**
 * Deletes pods. `untracked`: their finalizer goes first, so that they are not counted as failed: the job did not need
 * them any more.
 */
export async function removePods(
  job: Job,
  pods: readonly Pod[],
  { untracked }: { readonly untracked: boolean },
  context: ReconcileContext,
): Promise<{ readonly removed: number; readonly error: unknown }> {
  const object = withKind(Job, job);
  const results = await Promise.allSettled(
    pods.map(async (pod) => {
      const { name, namespace } = pod.metadata;
      try {
        if (untracked) await releasePod(pod, context);
        await context.client.delete(Pod, { name, namespace });
        context.recorder.event(object, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
      } catch (error) {
        if (isReason(error, 'NotFound')) return;
        context.recorder.event(object, 'Warning', 'FailedDelete', `Error deleting: ${(error as Error).message}`);
        throw error;
      }
    }),
  );
  const failure = results.find((result) => result.status === 'rejected');
  return { removed: results.filter(({ status }) => status === 'fulfilled').length, error: failure?.reason };
}

/** Takes the tracking finalizer off; the pod may be gone. */
export async function releasePod(pod: Pod, { client }: Pick<ReconcileContext, 'client'>): Promise<void> {
  if (!isTracked(pod)) return;
  const { name, namespace, uid } = pod.metadata;
  const body = { metadata: { uid, '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] } };
  await client.patch(Pod, { name, namespace }, { type: 'strategic', body }).catch((error: unknown) => {
    if (!isReason(error, 'NotFound', 'Invalid', 'Conflict')) throw error;
    if (isReason(error, 'Conflict') && !/UID/.test((error as Error).message)) throw error;
  });
}
