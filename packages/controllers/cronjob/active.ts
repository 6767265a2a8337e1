import { CronJob, Job, type CronJobStatus } from '@kubernode/api/batch/v1';
import type { ObjectReference } from '@kubernode/api/core/v1';
import type { ReconcileContext } from '@kubernode/client';
import { finishedBy } from '../job/outcome.ts';
import { withKind } from '../shared/owner-reference.ts';

export function referenceOf({ metadata }: Job): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion: Job.apiVersion, kind: Job.kind, name, namespace, uid, resourceVersion };
}

/** Brings the list of running jobs, and when the last one succeeded, up to date with the jobs that there are. */
export function syncActive(cronJob: CronJob, jobs: readonly Job[], { recorder }: ReconcileContext): CronJobStatus {
  const object = withKind(CronJob, cronJob);
  const { status } = cronJob;
  const known = new Map(jobs.map((job) => [job.metadata.uid, job]));
  const listed = new Set((status.active ?? []).map(({ uid }) => uid));
  const active = (status.active ?? []).filter((reference) => {
    const job = known.get(reference.uid ?? '');
    const end = job && finishedBy(job);
    if (end) {
      const message = `Saw completed job: ${job.metadata.name}, condition: ${end.type}`;
      recorder.event(object, 'Normal', 'SawCompletedJob', message);
    } else if (!job) {
      recorder.event(object, 'Normal', 'MissingJob', `Active job went missing: ${reference.name}`);
    }
    return job && !end;
  });
  for (const job of jobs) {
    if (listed.has(job.metadata.uid) || finishedBy(job)) continue;
    const message = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`;
    recorder.event(object, 'Warning', 'UnexpectedJob', message);
  }
  const lastSuccessfulTime = lastSuccess(jobs, status.lastSuccessfulTime);
  const { active: _, ...others } = status;
  return {
    ...others,
    ...(active.length > 0 ? { active } : {}),
    ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}),
  };
}

function lastSuccess(jobs: readonly Job[], before: string | undefined): string | undefined {
  const times = jobs
    .filter((job) => finishedBy(job)?.type === 'Complete')
    .map(({ status }) => status.completionTime)
    .filter((time) => time !== undefined);
  return [...times, before ?? ''].toSorted().at(-1) || undefined;
}
