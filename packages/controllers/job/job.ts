import { isReason } from '@kubernode/api';
import { Job, type JobCondition, type JobStatus } from '@kubernode/api/batch/v1';
import { Pod } from '@kubernode/api/core/v1';
import {
  controller,
  controllerOf,
  mapped,
  owned,
  runController,
  status,
  type ReconcileContext,
  type WatchContext,
} from '@kubernode/client';
import { deepEqual, formatTime, labelSelectorMatcher } from '@kubernode/machinery';
import type { BuiltInController } from '../built-in.ts';
import { claim } from '../shared/claim.ts';
import { isNamespaceTerminating } from '../shared/namespace-terminating.ts';
import { withKind } from '../shared/owner-reference.ts';
import { isActive } from '../shared/pods.ts';
import { perRun } from '../shared/per-run.ts';
import { recordEnds, type FailureRecord } from './backoff.ts';
import { trackingFinalizer } from './job-pods.ts';
import { managePods, releasePod, removePods, type Managed } from './manage.ts';
import { orphanedPods } from './orphaned-pods.ts';
import { completionOf, deadlineInMs, endingOf, finishedBy, withCondition, type Outcome } from './outcome.ts';
import { tally, type Tally } from './tally.ts';
import { afterRelease, countedStatus, track, type Tracking } from './track.ts';

const ownName = 'kubernetes.io/job-controller';

/** Whether the job is ours: another controller may have been named for it (KEP-4368). */
const isOurs = ({ spec }: Job) => spec.managedBy === undefined || spec.managedBy === ownName;

/** By job: failures in a row, which delay new pods. */
const failuresByKey = perRun(() => new Map<string, FailureRecord>());

const declaration = controller({
  name: 'job-controller',
  reconciles: Job,
  watches: [owned(Pod), mapped(Pod, jobsThatMayAdopt)],
  writes: [Pod, status(Job)],
  onDeleted: true,
  async reconcile(job, context) {
    const failures = failuresByKey(context);
    if (!job || finishedBy(job)) {
      failures.delete(context.key);
      return undefined;
    }
    if (!isOurs(job)) return undefined;
    const common = { ownerKind: Job, owner: job, selector: job.spec.selector, kind: Pod };
    const pods = await claim({ ...common, canAdopt: isActive, finalizers: [trackingFinalizer] }, context);
    const isStarting = !job.status.startTime && !job.spec.suspend;
    const startTime = isStarting ? formatTime(context.now()) : job.status.startTime;
    const current: Job = { ...job, status: { ...job.status, ...(startTime ? { startTime } : {}) } };
    return sync(current, job, pods, context);
  },
});

export const jobController: BuiltInController = {
  name: declaration.name,
  start(context) {
    const parts = [runController(declaration, context), runController(orphanedPods, context)];
    return {
      name: declaration.name,
      async stop() {
        await Promise.all(parts.map((part) => part.stop()));
      },
    };
  },
};

/** An orphan may match the selector of a job that does not know it yet. */
function jobsThatMayAdopt(pod: Pod, { informer }: WatchContext): string[] {
  if (controllerOf(pod)) return [];
  const { namespace, labels } = pod.metadata;
  const matching = informer(Job)
    .list(namespace)
    .filter(({ spec }) => labelSelectorMatcher(spec.selector).matches(labels));
  return matching.map(({ metadata }) => `${namespace}/${metadata.name}`);
}

/** Makes and ends pods, counts those that ended, and ends the job when it is time. */
async function sync(job: Job, written: Job, pods: readonly Pod[], context: ReconcileContext) {
  const { key } = context;
  const failures = failuresByKey(context);
  const counts = tally(job, pods);
  const record = recordEnds(failures.get(key), job, counts.newlySucceeded, counts.newlyFailed, context.now());
  const forced = endingOf(job, pods, counts, context.now());
  const managed = forced ? await endPods(job, counts, context) : await manage(job, pods, counts, record, context);
  const ending = forced ?? completionOf(job, counts.succeeded, managed.active);
  const tracking = track(job, pods, counts, ending);
  const first = await writeStatus(written, statusOf(job, counts, managed, tracking, ending, context), context);
  if (record) failures.set(key, record);
  else failures.delete(key);
  const released = await release(tracking.release, context);
  const counted = afterRelease(tracking, released);
  const last = { ...first.status, ...countedStatus(job, counted, counts) };
  const isOpen = counted.uncounted.succeeded.length + counted.uncounted.failed.length > 0;
  const isDone = ending && !isOpen && managed.active === 0 && counts.terminating + managed.removed === 0;
  await writeStatus(first, isDone ? finished(last, ending, context.now()) : last, context);
  if (isDone) announce(job, ending, context);
  if (managed.error && !isNamespaceTerminating(managed.error)) throw managed.error;
  const waits = [managed.requeueAfterMs, ending ? undefined : deadlineInMs(job, context.now())];
  const due = waits.filter((waitMs) => waitMs !== undefined);
  return due.length > 0 ? { requeueAfterMs: Math.min(...due) } : undefined;
}

async function manage(
  job: Job,
  pods: readonly Pod[],
  counts: Tally,
  record: FailureRecord | undefined,
  context: ReconcileContext,
): Promise<Managed> {
  if (job.metadata.deletionTimestamp) return { active: counts.active.length, removed: 0 };
  return managePods(job, pods, counts, record, context);
}

/** The job is over: what still runs is ended. */
async function endPods(job: Job, { active }: Tally, context: ReconcileContext): Promise<Managed> {
  const { removed, error } = await removePods(job, active, { untracked: false }, context);
  return { active: active.length - removed, removed, error };
}

function statusOf(
  job: Job,
  counts: Tally,
  managed: Managed,
  tracking: Tracking,
  ending: Outcome | undefined,
  context: ReconcileContext,
): JobStatus {
  const before = job.status.conditions ?? [];
  const interim = ending && { type: ending.interim, status: 'True' as const, ...said(ending) };
  const conditions = interim ? withCondition(before, interim, context.now()) : suspension(job, before, context);
  const { startTime } = job.status;
  const isSuspended = job.spec.suspend === true && !ending;
  const resumed = conditions !== before && !job.spec.suspend && !ending ? formatTime(context.now()) : startTime;
  return {
    ...job.status,
    ...countedStatus(job, tracking, counts),
    conditions: conditions.length > 0 ? [...conditions] : undefined,
    startTime: isSuspended ? undefined : resumed,
    active: managed.active || undefined,
    ready: managed.removed > 0 ? Math.min(counts.ready, managed.active) : counts.ready,
    terminating: counts.terminating + managed.removed,
  };
}

const said = ({ reason, message }: Outcome) => ({ reason, message });

/** Condition Suspended follows spec.suspend; it is not there before the first suspension. */
function suspension(job: Job, conditions: readonly JobCondition[], context: ReconcileContext): readonly JobCondition[] {
  const isSuspended = job.spec.suspend === true;
  const known = conditions.find(({ type }) => type === 'Suspended');
  if (isSuspended === (known?.status === 'True')) return conditions;
  const [reason, message] = isSuspended ? ['JobSuspended', 'Job suspended'] : ['JobResumed', 'Job resumed'];
  const event = isSuspended ? 'Suspended' : 'Resumed';
  context.recorder.event(withKind(Job, job), 'Normal', event, message);
  const value = isSuspended ? ('True' as const) : ('False' as const);
  return withCondition(conditions, { type: 'Suspended', status: value, reason, message }, context.now());
}

function finished(before: JobStatus, ending: Outcome, nowMs: number): JobStatus {
  const condition = { type: ending.final, status: 'True' as const, ...said(ending) };
  const conditions = [...withCondition(before.conditions ?? [], condition, nowMs)];
  return { ...before, conditions, ...(ending.final === 'Complete' ? { completionTime: formatTime(nowMs) } : {}) };
}

function announce(job: Job, { final, reason, message }: Outcome, { recorder }: ReconcileContext): void {
  const object = withKind(Job, job);
  if (final === 'Complete') recorder.event(object, 'Normal', 'Completed', 'Job completed');
  else recorder.event(object, 'Warning', reason, message);
}

/** Takes finalizers off; answers the pods for which that went well. */
async function release(pods: readonly Pod[], context: ReconcileContext): Promise<ReadonlySet<Pod>> {
  const results = await Promise.allSettled(pods.map((pod) => releasePod(pod, context)));
  return new Set(pods.filter((_, index) => results[index]?.status === 'fulfilled'));
}

async function writeStatus(job: Job, next: JobStatus, { client }: ReconcileContext): Promise<Job> {
  if (deepEqual(next, job.status)) return job;
  try {
    return await client.updateStatus(Job, { ...job, status: next });
  } catch (error) {
    if (isReason(error, 'NotFound')) return { ...job, status: next };
    throw error;
  }
}
