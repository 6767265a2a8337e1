import type { Job, JobCondition, JobStatus } from '@kubernode/api/batch/v1';
import type { Pod } from '@kubernode/api/core/v1';
import { formatTime, parseTime } from '@kubernode/machinery';
import { jobFailureMessage } from './failure-policy.ts';

import { successMessage } from './success-policy.ts';
import { restartsExceed, type Tally } from './tally.ts';

/** How the job ends: said as an interim condition at once, as the final one when all its pods have ended. */
export interface Outcome {
  readonly interim: 'FailureTarget' | 'SuccessCriteriaMet';
  readonly final: 'Failed' | 'Complete';
  readonly reason: string;
  readonly message: string;
}

const failure = (reason: string, message: string): Outcome => {
  return { interim: 'FailureTarget', final: 'Failed', reason, message };
};
const success = (reason: string, message: string): Outcome => {
  return { interim: 'SuccessCriteriaMet', final: 'Complete', reason, message };
};

function conditionOf({ conditions }: JobStatus, type: string): JobCondition | undefined {
  return conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

/** The condition that ended the job, if it has ended. */
export function finishedBy({ status }: Job): JobCondition | undefined {
  return conditionOf(status, 'Complete') ?? conditionOf(status, 'Failed');
}

/** Whether the job ends now, whatever its pods do; undefined where it goes on. */
export function endingOf(job: Job, pods: readonly Pod[], counts: Tally, nowMs: number): Outcome | undefined {
  const { status, spec } = job;
  const failing = conditionOf(status, 'FailureTarget');
  if (failing) return failure(failing.reason ?? '', failing.message ?? '');
  const succeeding = conditionOf(status, 'SuccessCriteriaMet');
  if (succeeding) return success(succeeding.reason ?? '', succeeding.message ?? '');
  const policy = jobFailureMessage(job, pods);
  if (policy) return failure('PodFailurePolicy', policy);
  if (counts.failed > (spec.backoffLimit ?? 6) || restartsExceed(job, pods)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  if (deadlineInMs(job, nowMs) === 0) {
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  return perIndex(job, counts) ?? byPolicy(job, counts);
}

function perIndex({ spec }: Job, { failedIndexes, succeededIndexes }: Tally): Outcome | undefined {
  if (!failedIndexes) return undefined;
  if (spec.maxFailedIndexes !== undefined && failedIndexes.size > spec.maxFailedIndexes) {
    const message = 'Job has exceeded the specified maximal number of failed indexes';
    return failure('MaxFailedIndexesExceeded', message);
  }
  const isOver = failedIndexes.size > 0 && failedIndexes.size + succeededIndexes.size >= (spec.completions ?? 0);
  return isOver ? failure('FailedIndexes', 'Job has failed indexes') : undefined;
}

function byPolicy(job: Job, { succeededIndexes }: Tally): Outcome | undefined {
  const message = successMessage(job, succeededIndexes);
  return message === undefined ? undefined : success('SuccessPolicy', message);
}

/** All completions are there and nothing runs any more; without completions: one success is enough. */
export function completionOf({ spec }: Job, succeeded: number, active: number): Outcome | undefined {
  const isComplete = spec.completions === undefined ? succeeded > 0 && active === 0 : succeeded >= spec.completions;
  if (!isComplete || active > 0) return undefined;
  return success('CompletionsReached', 'Reached expected number of succeeded pods');
}

/** How long until activeDeadlineSeconds have passed: 0 if they have; undefined without a deadline, or suspended. */
export function deadlineInMs({ spec, status }: Job, nowMs: number): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || spec.suspend || !status.startTime) return undefined;
  const startMs = parseTime(status.startTime) ?? nowMs;
  return Math.max(0, startMs + Number(spec.activeDeadlineSeconds) * 1000 - nowMs);
}

/** Adds or changes a condition; the same answer where nothing changes. */
export function withCondition(
  conditions: readonly JobCondition[],
  next: Pick<JobCondition, 'type' | 'status' | 'reason' | 'message'>,
  nowMs: number,
): readonly JobCondition[] {
  const known = conditions.find(({ type }) => type === next.type);
  if (known && known.status === next.status && known.reason === next.reason && known.message === next.message) {
    return conditions;
  }
  const time = formatTime(nowMs);
  const lastTransitionTime = known?.status === next.status ? known.lastTransitionTime : time;
  const written = { ...next, lastProbeTime: time, lastTransitionTime };
  return known ? conditions.map((condition) => (condition === known ? written : condition)) : [...conditions, written];
}

/** How many pods should run now. */
export function wantedActive(job: Job, { succeeded, active }: Pick<Tally, 'succeeded' | 'active'>): number {
  const { parallelism = 1, completions, suspend } = job.spec;
  if (suspend) return 0;
  // A work queue: after the first success no more pods come, and those that run go on.
  if (completions === undefined) return succeeded > 0 ? Math.min(active.length, parallelism) : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}
