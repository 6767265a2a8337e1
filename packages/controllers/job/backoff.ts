import type { Job } from '@kubernode/api/batch/v1';
import type { Pod } from '@kubernode/api/core/v1';
import { endedMs, failureCountOf } from './job-pods.ts';

const firstMs = 10_000;
const longestMs = 10 * 60_000;

/** Failures of a job's pods in a row. */
export interface FailureRecord {
  readonly uid: string;
  readonly failures: number;
  readonly lastMs: number;
}

/** Adds what ended since: a success ends the row. */
export function recordEnds(
  record: FailureRecord | undefined,
  job: Job,
  succeeded: readonly Pod[],
  failed: readonly Pod[],
  nowMs: number,
): FailureRecord | undefined {
  if (succeeded.length + failed.length === 0) return record;
  const known = record?.uid === job.metadata.uid ? record : undefined;
  const ends = [
    ...succeeded.map((pod) => ({ isFailure: false, atMs: endedMs(pod, nowMs) })),
    ...failed.map((pod) => ({ isFailure: true, atMs: endedMs(pod, nowMs) })),
  ];
  let { failures, lastMs } = known ?? { failures: 0, lastMs: 0 };
  for (const { isFailure, atMs } of ends.toSorted((a, b) => a.atMs - b.atMs)) {
    failures = isFailure ? failures + 1 : 0;
    lastMs = Math.max(lastMs, atMs);
  }
  return failures === 0 ? undefined : { uid: job.metadata.uid, failures, lastMs };
}

/** How long no new pods are made: 10 s after the first failure, doubled with each more, at most 10 minutes. */
export function remainingMs({ failures, lastMs }: Omit<FailureRecord, 'uid'>, nowMs: number): number {
  if (failures === 0) return 0;
  return Math.max(0, lastMs + Math.min(longestMs, firstMs * 2 ** (failures - 1)) - nowMs);
}

/** The same for one index, by the pod of it that failed last. */
export function remainingOfIndexMs(pod: Pod, nowMs: number): number {
  return remainingMs({ failures: failureCountOf(pod) + 1, lastMs: endedMs(pod, nowMs) }, nowMs);
}
