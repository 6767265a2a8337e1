import { Job } from '@kubernode/api/batch/v1';
import { Pod } from '@kubernode/api/core/v1';
import { controlledBy, controller, controllerOf, mapped, type WatchContext } from '@kubernode/client';
import { isTracked } from './job-pods.ts';
import { releasePod } from './manage.ts';
import { finishedBy } from './outcome.ts';

/** Nobody counts the pods of a job that is over or gone: their finalizer would keep them for ever. */
export const orphanedPods = controller({
  name: 'job-controller',
  reconciles: Pod,
  watches: [mapped(Job, podsLeftBy)],
  writes: [Pod],
  filter: isTracked,
  async reconcile(pod, context) {
    if (!isTracked(pod)) return;
    const owner = controllerOf(pod);
    if (owner?.kind === Job.kind) {
      const job = context.informer(Job).get(owner.name, pod.metadata.namespace);
      if (job?.metadata.uid === owner.uid && !finishedBy(job)) return;
    }
    await releasePod(pod, context);
  },
});

function podsLeftBy(job: Job, { informer }: WatchContext): string[] {
  const { name, namespace, uid } = job.metadata;
  const isGone = informer(Job).get(name, namespace)?.metadata.uid !== uid;
  if (!isGone && !finishedBy(job)) return [];
  const left = controlledBy(informer(Pod), job).filter(isTracked);
  return left.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}
