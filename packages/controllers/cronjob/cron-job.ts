import { isReason } from '@kubernode/api';
import { CronJob, Job, type CronJobStatus } from '@kubernode/api/batch/v1';
import { controlledBy, controller, controllerOf, owned, status, type ReconcileContext } from '@kubernode/client';
import { deepEqual, formatTime, parseTime } from '@kubernode/machinery';
import { finishedBy } from '../job/outcome.ts';
import { isNamespaceTerminating } from '../shared/namespace-terminating.ts';
import { controllerReference, withKind } from '../shared/owner-reference.ts';
import { referenceOf, syncActive } from './active.ts';
import { beyondHistory, deleteJob } from './history.ts';
import { dueAt, isTimeZone, parseSchedule, zonedTime, type Schedule } from './schedule.ts';

const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
/** So that the clock has surely passed the time when the key comes back. */
const marginMs = 100;

/** Makes jobs by the clock. */
export const cronJobController = controller({
  name: 'cronjob-controller',
  reconciles: CronJob,
  watches: [owned(Job)],
  writes: [Job, status(CronJob)],
  async reconcile(cronJob, context) {
    const jobs = controlledBy(context.informer(Job), cronJob);
    const known = syncActive(cronJob, jobs, context);
    const { next, requeueAfterMs } = await start({ ...cronJob, status: known }, jobs, context);
    await writeStatus(cronJob, next, context);
    for (const job of beyondHistory(cronJob, jobs)) {
      if (!job.metadata.deletionTimestamp) await deleteJob(cronJob, job, context);
    }
    return { requeueAfterMs };
  },
});

interface Result {
  readonly next: CronJobStatus;
  readonly requeueAfterMs?: number | undefined;
}

/** Starts the job that is due, if one is. */
async function start(cronJob: CronJob, jobs: readonly Job[], context: ReconcileContext): Promise<Result> {
  const next = cronJob.status;
  if (cronJob.metadata.deletionTimestamp || cronJob.spec.suspend) return { next };
  const schedule = scheduleOf(cronJob, context);
  if (!schedule) return { next };
  const nowMs = context.now();
  const sinceMs = earliestMs(cronJob, nowMs);
  const { missedMs, isTooMany } = dueAt(schedule, sinceMs, nowMs);
  const object = withKind(CronJob, cronJob);
  const comesMs = schedule.next(Math.max(nowMs, missedMs ?? 0));
  const requeueAfterMs = comesMs === undefined ? undefined : comesMs - nowMs + marginMs;
  if (isTooMany) {
    const advice = 'Set or decrease .spec.startingDeadlineSeconds or check clock skew';
    context.recorder.event(object, 'Warning', 'TooManyMissedTimes', `too many missed start times. ${advice}`);
  }
  if (missedMs === undefined) return { next, requeueAfterMs };
  const { startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
  if (startingDeadlineSeconds !== undefined && missedMs + Number(startingDeadlineSeconds) * 1000 < nowMs) {
    const message = `Missed scheduled time to start a job: ${rfc1123(missedMs)}`;
    context.recorder.event(object, 'Warning', 'MissSchedule', message);
    return { next, requeueAfterMs };
  }
  const name = jobName(cronJob, missedMs);
  const isStarted = next.active?.some((reference) => reference.name === name) ?? false;
  if (isStarted || next.lastScheduleTime === formatTime(missedMs)) return { next, requeueAfterMs };
  const running = next.active ?? [];
  if (concurrencyPolicy === 'Forbid' && running.length > 0) {
    const why = 'prior execution is running and concurrency policy is Forbid';
    context.recorder.event(object, 'Normal', 'JobAlreadyActive', `Not starting job because ${why}`);
    return { next, requeueAfterMs };
  }
  const replaced = concurrencyPolicy === 'Replace' ? running : [];
  for (const job of jobs) {
    if (replaced.some(({ uid }) => uid === job.metadata.uid)) await deleteJob(cronJob, job, context);
  }
  const job = await createJob(cronJob, missedMs, context);
  if (!job) return { next, requeueAfterMs };
  const active = [...running.filter((reference) => !replaced.includes(reference)), referenceOf(job)];
  return { next: { ...next, active, lastScheduleTime: formatTime(missedMs) }, requeueAfterMs };
}

function scheduleOf(cronJob: CronJob, { recorder }: ReconcileContext): Schedule | undefined {
  const { schedule, timeZone } = cronJob.spec;
  const object = withKind(CronJob, cronJob);
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    const message = `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`;
    recorder.event(object, 'Warning', 'UnknownTimeZone', message);
    return undefined;
  }
  try {
    return parseSchedule(schedule, timeZone);
  } catch (error) {
    const message = `unparseable schedule: ${JSON.stringify(schedule)} : ${(error as Error).message}`;
    recorder.event(object, 'Warning', 'UnparseableSchedule', message);
    return undefined;
  }
}

/** Times before are not made up for: the last start, the creation, and the deadline for late starts. */
function earliestMs({ metadata, spec, status: { lastScheduleTime } }: CronJob, nowMs: number): number {
  const sinceMs = parseTime(lastScheduleTime ?? metadata.creationTimestamp) ?? nowMs;
  const { startingDeadlineSeconds } = spec;
  return startingDeadlineSeconds === undefined
    ? sinceMs
    : Math.max(sinceMs, nowMs - Number(startingDeadlineSeconds) * 1000);
}

/** The same time gives the same name, so that a job is never made twice. */
const jobName = ({ metadata }: CronJob, scheduledMs: number) => `${metadata.name}-${Math.floor(scheduledMs / 60_000)}`;

async function createJob(cronJob: CronJob, scheduledMs: number, context: ReconcileContext): Promise<Job | undefined> {
  const { client, recorder, informer } = context;
  const object = withKind(CronJob, cronJob);
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const { namespace } = cronJob.metadata;
  const name = jobName(cronJob, scheduledMs);
  const draft = {
    metadata: {
      name,
      namespace,
      labels: metadata.labels,
      annotations: { ...metadata.annotations, [scheduledAnnotation]: zonedTime(scheduledMs, cronJob.spec.timeZone) },
      ownerReferences: [controllerReference(CronJob, cronJob)],
    },
    spec,
  };
  try {
    const job = await client.create(Job, draft);
    recorder.event(object, 'Normal', 'SuccessfulCreate', `Created job ${name}`);
    return job;
  } catch (error) {
    if (isNamespaceTerminating(error)) return undefined;
    if (isReason(error, 'AlreadyExists')) {
      const present = informer(Job).get(name, namespace) ?? (await client.get(Job, name, namespace));
      if (controllerOf(present)?.uid === cronJob.metadata.uid) return finishedBy(present) ? undefined : present;
    }
    recorder.event(object, 'Warning', 'FailedCreate', `Error creating job: ${(error as Error).message}`);
    throw error;
  }
}

const rfc1123 = (timeMs: number) => new Date(timeMs).toUTCString().replace('GMT', '+0000');

async function writeStatus(cronJob: CronJob, next: CronJobStatus, { client }: ReconcileContext): Promise<void> {
  if (deepEqual(next, cronJob.status)) return;
  await client.updateStatus(CronJob, { ...cronJob, status: next }).catch((error: unknown) => {
    if (!isReason(error, 'NotFound')) throw error;
  });
}
