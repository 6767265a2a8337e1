import { isReason } from '@kubernode/api';
import { Job } from '@kubernode/api/batch/v1';
import { controller } from '@kubernode/client';
import { parseTime } from '@kubernode/machinery';

/** Deletes jobs ttlSecondsAfterFinished after they ended. */
export const ttlAfterFinishedController = controller({
  name: 'ttl-after-finished-controller',
  reconciles: Job,
  writes: [Job],
  filter: (job) => expiresMs(job) !== undefined,
  async reconcile(job, { client, now }) {
    const leftMs = (expiresMs(job) ?? Infinity) - now();
    if (job.metadata.deletionTimestamp || leftMs === Infinity) return undefined;
    if (leftMs > 0) return { requeueAfterMs: leftMs };
    const { name, namespace, uid } = job.metadata;
    // The time may have been made longer just now: the live job decides.
    const live = await client.get(Job, name, namespace).catch(ignoreGone);
    const expiry = live?.metadata.uid === uid ? expiresMs(live) : undefined;
    if (expiry === undefined || expiry > now()) return undefined;
    const options = { propagationPolicy: 'Foreground', preconditions: { uid } } as const;
    await client.delete(Job, { name, namespace }, options).catch(ignoreGone);
    return undefined;
  },
});

/** When the job's time after its end is over; undefined while it runs, and where it has no such time. */
export function expiresMs({ spec, status }: Job): number | undefined {
  const { ttlSecondsAfterFinished } = spec;
  if (ttlSecondsAfterFinished === undefined) return undefined;
  const end = status.conditions?.find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  );
  const endMs = end?.lastTransitionTime ? parseTime(end.lastTransitionTime) : undefined;
  return endMs === undefined ? undefined : endMs + ttlSecondsAfterFinished * 1000;
}

function ignoreGone(error: unknown): undefined {
  if (!isReason(error, 'NotFound', 'Conflict')) throw error;
}
