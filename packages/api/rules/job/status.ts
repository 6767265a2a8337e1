import { parseTime } from '@kubernode/machinery';
import type { Job, JobStatus } from '../../generated/types/batch/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, invalid, required } from '../cause.ts';
import { fields } from '../rule.ts';
import { nonNegative, semanticallyEqual } from '../values.ts';
import { indexesOf, overlapOf } from './indexes.ts';

const has = ({ status }: Job, type: string, value = 'True') =>
  status.conditions?.some((condition) => condition.type === type && condition.status === value) ?? false;

const isFinished = (job: Job) => has(job, 'Complete') || has(job, 'Failed');

const conditionsPath = 'status.conditions';
const clash = (detail: string) => invalid(conditionsPath, '', detail);

const counters = fields<JobStatus>({
  active: nonNegative,
  succeeded: nonNegative,
  failed: nonNegative,
  ready: nonNegative,
  terminating: nonNegative,
});

/** What a status may say, and how it may go on; what did not change is not judged again (ValidateJobStatusUpdate). */
export function jobStatusUpdate(job: Job, old: Job): readonly FieldCause[] {
  return [
    ...counters(job.status, 'status'),
    ...uncounted(job.status),
    ...completion(job, old),
    ...finished(job, old),
    ...indexes(job, old),
    ...consistency(job, old),
    ...history(job, old),
  ];
}

/** Pods whose end is still to be counted, each once. */
function uncounted({ uncountedTerminatedPods: pods }: JobStatus): FieldCause[] {
  const seen = new Set<string>();
  return (['succeeded', 'failed'] as const).flatMap((name) =>
    (pods?.[name] ?? []).flatMap((uid, index) => {
      const at = `status.uncountedTerminatedPods.${name}[${index}]`;
      if (uid === '') return [invalid(at, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate(at, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

const changed = (name: keyof JobStatus) => (job: Job, old: Job) =>
  !semanticallyEqual(job.status[name], old.status[name]);
const completeChanged = (job: Job, old: Job) => has(job, 'Complete') !== has(old, 'Complete');
const turned = (type: string) => (job: Job, old: Job) => has(job, type) !== has(old, type);

function completion(job: Job, old: Job): FieldCause[] {
  const { completionTime, startTime } = job.status;
  const at = 'status.completionTime';
  const found: FieldCause[] = [];
  const complete = has(job, 'Complete');
  if (completeChanged(job, old) || turned('Failed')(job, old)) {
    if (complete && has(job, 'Failed')) found.push(clash('cannot set Complete=True and Failed=true conditions'));
  }
  if (completeChanged(job, old) || turned('FailureTarget')(job, old)) {
    if (complete && has(job, 'FailureTarget'))
      found.push(clash('cannot set Complete=True and FailureTarget=true conditions'));
  }
  if (completeChanged(job, old) || changed('completionTime')(job, old)) {
    if (completionTime && !complete)
      found.push(invalid(at, completionTime, 'cannot set completionTime when there is no Complete=True condition'));
    if (!completionTime && complete) found.push(required(at, 'completionTime is required for Complete jobs'));
  }
  if (changed('startTime')(job, old) || changed('completionTime')(job, old)) {
    const [start, end] = [parseTime(startTime), parseTime(completionTime)];
    if (start !== undefined && end !== undefined && end < start)
      found.push(invalid(at, completionTime, 'must be equal to or after `startTime`'));
  }
  if (turned('Failed')(job, old) || changed('failedIndexes')(job, old)) {
    if (has(job, 'Failed') && !has(job, 'FailureTarget'))
      found.push(clash('cannot set Failed=True condition without the FailureTarget=true condition'));
  }
  if (completeChanged(job, old) || turned('SuccessCriteriaMet')(job, old)) {
    if (complete && !has(job, 'SuccessCriteriaMet'))
      found.push(clash('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'));
  }
  return found;
}

/** A finished job has no pods left, and has started, unless it never had to. */
function finished(job: Job, old: Job): FieldCause[] {
  const found: FieldCause[] = [];
  const { active = 0, startTime, uncountedTerminatedPods: pods, terminating = 0 } = job.status;
  if (!isFinished(job)) return found;
  const justNow = !isFinished(old);
  if ((justNow || changed('active')(job, old)) && active > 0)
    found.push(invalid('status.active', active, 'active>0 is invalid for finished job'));
  const neverRan = job.spec.suspend === true && job.spec.completions === 0;
  if ((justNow || changed('startTime')(job, old)) && !neverRan && !startTime)
    found.push(required('status.startTime', 'startTime is required for finished job'));
  const left = (pods?.failed ?? []).length + (pods?.succeeded ?? []).length;
  if ((justNow || changed('uncountedTerminatedPods')(job, old)) && left > 0)
    found.push(invalid('status.uncountedTerminatedPods', pods, 'must be empty for finished job'));
  if ((justNow || changed('terminating')(job, old)) && terminating > 0)
    found.push(invalid('status.terminating', terminating, 'terminating>0 is invalid for finished job'));
  return found;
}

function indexes(job: Job, old: Job): FieldCause[] {
  const { completions, backoffLimitPerIndex, completionMode } = job.spec;
  const { completedIndexes = '', failedIndexes } = job.status;
  const found: FieldCause[] = [];
  const completedChanged = completedIndexes !== (old.status.completedIndexes ?? '');
  const failedChanged = failedIndexes !== old.status.failedIndexes;
  const parse = (name: string, text: string) => {
    const { error } = indexesOf(text, completions ?? 0);
    if (error) found.push(invalid(`status.${name}`, text, `error parsing ${name}: ${error}`));
  };
  if (completedChanged && completions !== undefined) parse('completedIndexes', completedIndexes);
  const judgesFailed = failedChanged && completions !== undefined && backoffLimitPerIndex !== undefined;
  if (judgesFailed && failedIndexes !== undefined) parse('failedIndexes', failedIndexes);
  if (completedChanged && completedIndexes && completionMode !== 'Indexed') {
    const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    found.push(invalid('status.completedIndexes', completedIndexes, detail));
  }
  if (failedIndexes === undefined) return found;
  if (failedChanged && backoffLimitPerIndex === undefined) {
    const detail = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    found.push(invalid('status.failedIndexes', failedIndexes, detail));
  }
  if ((failedChanged || completedChanged) && completions !== undefined) {
    const overlap = overlapOf(completedIndexes, failedIndexes, completions);
    const detail = `failedIndexes and completedIndexes overlap at index: ${overlap}`;
    if (overlap !== undefined) found.push(invalid('status.failedIndexes', failedIndexes, detail));
  }
  return found;
}

function consistency(job: Job, old: Job): FieldCause[] {
  const { ready, active = 0 } = job.status;
  const found: FieldCause[] = [];
  if ((changed('ready')(job, old) || changed('active')(job, old)) && ready !== undefined && ready > active)
    found.push(invalid('status.ready', ready, 'cannot set more ready pods than active'));
  const met = has(job, 'SuccessCriteriaMet');
  if (met && has(job, 'Failed')) found.push(clash('cannot set SuccessCriteriaMet=True and Failed=true conditions'));
  if (met && has(job, 'FailureTarget'))
    found.push(clash('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'));
  if (job.spec.successPolicy && !met && has(job, 'Complete'))
    found.push(clash('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True'));
  return found;
}

/** What was said stays said: ends, counts, and when it began. */
function history(job: Job, old: Job): FieldCause[] {
  const { status } = job;
  const { status: before } = old;
  const found = ['Failed', 'Complete', 'FailureTarget']
    .filter((type) => has(old, type) && !has(job, type))
    .map((type) => clash(`cannot disable the terminal ${type}=True condition`));
  const lowered = (name: 'failed' | 'succeeded') =>
    (status[name] ?? 0) < (before[name] ?? 0)
      ? [invalid(`status.${name}`, status[name] ?? 0, `cannot decrease the ${name} counter`)]
      : [];
  found.push(...lowered('failed'));
  const isElastic = job.spec.completionMode === 'Indexed' && job.spec.completions === job.spec.parallelism;
  if (!isElastic) found.push(...lowered('succeeded'));
  if (status.completionTime && before.completionTime && changed('completionTime')(job, old))
    found.push(invalid('status.completionTime', status.completionTime, 'field is immutable'));
  const resumes = has(old, 'Suspended') && has(job, 'Suspended', 'False');
  if (changed('startTime')(job, old) && !resumes && before.startTime && !job.spec.suspend)
    found.push(invalid('status.startTime', status.startTime, 'field is immutable for unsuspended job once set'));
  const [met, wasMet] = [has(job, 'SuccessCriteriaMet'), has(old, 'SuccessCriteriaMet')];
  if (wasMet && !met) found.push(clash('cannot disable the SuccessCriteriaMet=True condition'));
  if (has(old, 'Complete') && !wasMet && met)
    found.push(clash('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'));
  return found;
}
