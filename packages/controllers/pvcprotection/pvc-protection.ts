import { PersistentVolumeClaim, Pod } from '@kubernode/api/core/v1';
import { controller, mapped, status, type ReconcileContext } from '@kubernode/client';
import { claimNamesOf, conditionsWithUnused, holds } from './usage.ts';

const finalizer = 'kubernetes.io/pvc-protection';

/** Keeps a claim as long as a pod uses it, and tells in its status whether one does. */
export const pvcProtectionController = controller<PersistentVolumeClaim>({
  name: 'pvc-protection-controller',
  reconciles: PersistentVolumeClaim,
  watches: [mapped(Pod, claimKeysOf)],
  writes: [PersistentVolumeClaim, status(PersistentVolumeClaim)],
  async reconcile(claim, context) {
    const { client, now } = context;
    const { finalizers = [], deletionTimestamp } = claim.metadata;
    const isProtected = finalizers.includes(finalizer);
    if (deletionTimestamp) {
      if (!isProtected || (await isHeld(claim, context))) return;
      const left = finalizers.filter((name) => name !== finalizer);
      await client.update(PersistentVolumeClaim, { ...claim, metadata: { ...claim.metadata, finalizers: left } });
      return;
    }
    if (!isProtected) {
      const metadata = { ...claim.metadata, finalizers: [...finalizers, finalizer] };
      await client.update(PersistentVolumeClaim, { ...claim, metadata });
      return;
    }
    const conditions = conditionsWithUnused(claim, podsOf(context), now());
    if (conditions)
      await client.updateStatus(PersistentVolumeClaim, { ...claim, status: { ...claim.status, conditions } });
  },
});

function claimKeysOf(pod: Pod): string[] {
  return claimNamesOf(pod).map((name) => `${pod.metadata.namespace}/${name}`);
}

const byClaim = 'claim';

function podsOf({ informer, key }: ReconcileContext): readonly Pod[] {
  informer(Pod).addIndex(byClaim, claimKeysOf);
  return informer(Pod).byIndex(byClaim, key);
}

/** The local copy may lag: that nobody holds it must also be true on the server. */
async function isHeld(claim: PersistentVolumeClaim, context: ReconcileContext): Promise<boolean> {
  if (podsOf(context).some((pod) => holds(pod, claim))) return true;
  const { items } = await context.client.list(Pod, { namespace: context.namespace });
  return items.some((pod) => holds(pod, claim));
}
