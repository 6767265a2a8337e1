import type { Job, JobStatus } from '@kubernode/api/batch/v1';
import type { Pod } from '@kubernode/api/core/v1';
import { judge } from './failure-policy.ts';
import { hasFailed, indexOf, isIndexed, isTracked } from './job-pods.ts';
import type { Outcome } from './outcome.ts';
import type { Tally } from './tally.ts';

/** So many uids are in the status at a time; the rest is counted in the next reconciliation. */
const uncountedMax = 500;

/**
 * Counting each pod once (KEP-2307): the uid of a pod that ended is written into the status; then its finalizer is
 * taken off; then the number is raised and the uid taken out. Wherever that stops, the next reconciliation can go on.
 */
export interface Tracking {
  readonly succeeded: number;
  readonly failed: number;
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** Their finalizer can go, once the status is written. */
  readonly release: readonly Pod[];
}

/** Takes over what was counted: uids whose pods have lost the finalizer become numbers. */
function settled({ status }: Job, pods: readonly Pod[]): Omit<Tracking, 'release'> {
  const tracked = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid));
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const isOpen = (uid: string) => tracked.has(uid);
  return {
    succeeded: (status.succeeded ?? 0) + succeeded.filter((uid) => !isOpen(uid)).length,
    failed: (status.failed ?? 0) + failed.filter((uid) => !isOpen(uid)).length,
    uncounted: { succeeded: succeeded.filter(isOpen), failed: failed.filter(isOpen) },
  };
}

/** What to write and which pods to let go. `ending`: all pods that did not succeed count as failed if the job fails. */
export function track(job: Job, pods: readonly Pod[], counts: Tally, ending: Outcome | undefined): Tracking {
  const before = settled(job, pods);
  const succeeded = new Set(before.uncounted.succeeded);
  const failed = new Set(before.uncounted.failed);
  const release: Pod[] = [];
  const held = ending ? new Set<Pod>() : new Set(counts.held.values());
  for (const pod of pods) {
    if (!isTracked(pod) || held.has(pod)) continue;
    if (succeeded.size + failed.size >= uncountedMax) break;
    const { uid } = pod.metadata;
    const isFailure = hasFailed(pod, job);
    const isSuccess = pod.status.phase === 'Succeeded' && !failed.has(uid);
    if (isSuccess) {
      if (!isIndexed(job)) succeeded.add(uid);
    } else if ((isFailure || ending?.final === 'Failed') && hasIndex(pod, job) && judge(pod, job).counts) {
      failed.add(uid);
    }
    if (isSuccess || isFailure || ending || job.metadata.deletionTimestamp) release.push(pod);
  }
  return { ...before, uncounted: { succeeded: [...succeeded], failed: [...failed] }, release };
}

const hasIndex = (pod: Pod, job: Job) => !isIndexed(job) || indexOf(pod, job) !== undefined;

/** The part of the status that counts ended pods. */
export function countedStatus(job: Job, tracking: Omit<Tracking, 'release'>, counts: Tally): Partial<JobStatus> {
  const { uncounted } = tracking;
  const succeeded = isIndexed(job) ? counts.succeededIndexes.size : tracking.succeeded;
  return {
    succeeded: succeeded || undefined,
    failed: tracking.failed || undefined,
    uncountedTerminatedPods: {
      ...(uncounted.succeeded.length > 0 ? { succeeded: [...uncounted.succeeded] } : {}),
      ...(uncounted.failed.length > 0 ? { failed: [...uncounted.failed] } : {}),
    },
    ...(isIndexed(job) ? { completedIndexes: counts.succeededIndexes.toString() || undefined } : {}),
    ...(counts.failedIndexes ? { failedIndexes: counts.failedIndexes.toString() } : {}),
  };
}

/** After the finalizers are off: all that was uncounted is counted. */
export function afterRelease(
  { succeeded, failed, uncounted, release }: Tracking,
  released: ReadonlySet<Pod>,
): Omit<Tracking, 'release'> {
  const free = new Set(release.filter((pod) => released.has(pod)).map(({ metadata }) => metadata.uid));
  const isFree = (uid: string) => free.has(uid);
  const isLeft = (uid: string) => !free.has(uid);
  return {
    succeeded: succeeded + uncounted.succeeded.filter(isFree).length,
    failed: failed + uncounted.failed.filter(isFree).length,
    uncounted: { succeeded: uncounted.succeeded.filter(isLeft), failed: uncounted.failed.filter(isLeft) },
  };
}
