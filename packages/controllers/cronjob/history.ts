import { isReason } from '@kubernode/api';
import { CronJob, Job } from '@kubernode/api/batch/v1';
import type { ReconcileContext } from '@kubernode/client';
import { finishedBy } from '../job/outcome.ts';
import { withKind } from '../shared/owner-reference.ts';

/** The finished jobs beyond the history limits, the oldest first. */
export function beyondHistory({ spec }: CronJob, jobs: readonly Job[]): Job[] {
  const ended = (type: string) =>
    jobs.filter((job) => finishedBy(job)?.type === type).toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : 1));
  const excess = (list: readonly Job[], limit: number) => list.slice(0, Math.max(0, list.length - limit));
  return [
    ...excess(ended('Complete'), spec.successfulJobsHistoryLimit ?? 3),
    ...excess(ended('Failed'), spec.failedJobsHistoryLimit ?? 1),
  ];
}

const startOf = ({ status, metadata }: Job) => status.startTime ?? metadata.creationTimestamp;

/** Deletes a job with its pods, and says so on the cron job. */
export async function deleteJob(cronJob: CronJob, job: Job, { client, recorder }: ReconcileContext): Promise<void> {
  const { name, namespace } = job.metadata;
  const object = withKind(CronJob, cronJob);
  try {
    await client.delete(Job, { name, namespace }, { propagationPolicy: 'Background' });
    recorder.event(object, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`);
  } catch (error) {
    if (isReason(error, 'NotFound')) return;
    recorder.event(object, 'Warning', 'FailedDelete', `Deleted job: ${(error as Error).message}`);
    throw error;
  }
}
