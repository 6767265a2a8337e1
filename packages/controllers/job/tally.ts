import type { Job } from '@kubernode/api/batch/v1';
import type { Pod } from '@kubernode/api/core/v1';
import { isActive, isReady, isTerminating } from '../shared/pods.ts';
import { endsIndex, judge } from './failure-policy.ts';
import { Indexes } from './indexes.ts';
import { countsPerIndex, hasFailed, indexOf, isIndexed, isTracked } from './job-pods.ts';

/** What a job's pods add up to. */
export interface Tally {
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  /** All that ended, counted before or found now. */
  readonly succeeded: number;
  readonly failed: number;
  /** Ended, and not counted yet. */
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  readonly succeededIndexes: Indexes;
  readonly failedIndexes: Indexes | undefined;
  /** Failed pods that are kept until their index's next try is made, as they hold its failure count. */
  readonly held: ReadonlyMap<number, Pod>;
}

export function tally(job: Job, pods: readonly Pod[]): Tally {
  const { status } = job;
  const uncounted = status.uncountedTerminatedPods ?? {};
  const known = new Set([...(uncounted.succeeded ?? []), ...(uncounted.failed ?? [])]);
  const active = pods.filter(isActive);
  const tracked = pods.filter((pod) => isTracked(pod));
  const fresh = tracked.filter(({ metadata }) => !known.has(metadata.uid));
  const newlySucceeded = fresh.filter((pod) => pod.status.phase === 'Succeeded');
  const newlyFailed = fresh.filter((pod) => hasFailed(pod, job) && judge(pod, job).counts);
  const succeededIndexes = isIndexed(job) ? indexesOf(job, tracked) : Indexes.of([]);
  const failedIndexes = countsPerIndex(job) ? failedIndexesOf(job, tracked) : undefined;
  return {
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    succeeded: isIndexed(job)
      ? succeededIndexes.size
      : (status.succeeded ?? 0) + newlySucceeded.length + (uncounted.succeeded?.length ?? 0),
    failed: (status.failed ?? 0) + newlyFailed.length + (uncounted.failed?.length ?? 0),
    newlySucceeded,
    newlyFailed,
    succeededIndexes,
    failedIndexes,
    held: countsPerIndex(job) ? heldPods(job, pods, succeededIndexes, failedIndexes) : new Map(),
  };
}

function indexesOf(job: Job, tracked: readonly Pod[]): Indexes {
  const ended = tracked.filter((pod) => pod.status.phase === 'Succeeded').map((pod) => indexOf(pod, job));
  const before = Indexes.parse(job.status.completedIndexes, job.spec.completions);
  return before.with(ended.filter((index) => index !== undefined));
}

function failedIndexesOf(job: Job, tracked: readonly Pod[]): Indexes {
  const ended = tracked.filter((pod) => endsIndex(pod, job)).map((pod) => indexOf(pod, job));
  const before = Indexes.parse(job.status.failedIndexes, job.spec.completions);
  return before.with(ended.filter((index) => index !== undefined));
}

/** Of each index that is to be tried again, the pod that failed last. */
function heldPods(
  job: Job,
  pods: readonly Pod[],
  succeeded: Indexes,
  failed: Indexes | undefined,
): ReadonlyMap<number, Pod> {
  const held = new Map<number, Pod>();
  const running = new Set(pods.filter(isActive).map((pod) => indexOf(pod, job)));
  for (const pod of pods) {
    const index = indexOf(pod, job);
    if (index === undefined || !isTracked(pod) || !hasFailed(pod, job)) continue;
    if (running.has(index) || succeeded.has(index) || failed?.has(index)) continue;
    const other = held.get(index);
    if (!other || other.metadata.creationTimestamp <= pod.metadata.creationTimestamp) held.set(index, pod);
  }
  return held;
}

/** Restarts of containers count as failures of the job where pods restart them (restartPolicy OnFailure). */
export function restartsExceed(job: Job, pods: readonly Pod[]): boolean {
  const { backoffLimit = 6, template } = job.spec;
  if (template.spec.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status.phase !== 'Running' && status.phase !== 'Pending') continue;
    const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
    for (const { restartCount } of statuses) restarts += restartCount;
  }
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}
