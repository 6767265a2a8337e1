import { isReason } from '@kubernode/api';
import { StatefulSet } from '@kubernode/api/apps/v1';
import { PersistentVolumeClaim, Pod } from '@kubernode/api/core/v1';
import type { OwnerReference } from '@kubernode/api/meta/v1';
import type { ReconcileContext } from '@kubernode/client';
import { controllerReference, withKind } from '../shared/owner-reference.ts';
import { claimsOf, isInRange, ordinalOf, podName } from './identity.ts';

type Owners = readonly OwnerReference[];

/** Whether claims go with their set, and with the pods that scaling down ends. */
interface Retention {
  readonly withSet: boolean;
  readonly withPod: boolean;
}

const retentionOf = ({ spec }: StatefulSet): Retention => ({
  withSet: spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete',
  withPod: spec.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete',
});

/**
 * The owners that a claim is to have (KEP-1847): the set where claims go with it; the pod where claims go with scaling
 * down and the pod is about to. Undefined where they are so already.
 */
export function claimOwners(set: StatefulSet, pod: Pod, owners: Owners = []): OwnerReference[] | undefined {
  const { withSet, withPod } = retentionOf(set);
  const isCondemned = !isInRange(set, ordinalOf(pod));
  const ofSet = withSet && !(withPod && isCondemned);
  const ofPod = withPod && isCondemned;
  const others = owners.filter(({ uid }) => uid !== set.metadata.uid && uid !== pod.metadata.uid);
  const has = (uid: string) => owners.some((owner) => owner.uid === uid);
  if (has(set.metadata.uid) === ofSet && has(pod.metadata.uid) === ofPod) return undefined;
  const wanted = ofSet ? [controllerReference(StatefulSet, set)] : ofPod ? [controllerReference(Pod, pod)] : [];
  // Another controller's claim is left to it.
  if (wanted.length > 0 && others.some(({ controller }) => controller)) return undefined;
  return [...others, ...wanted];
}

/** Whether a claim still belongs to an earlier pod of this name, and will go with it. */
export function hasStaleClaim(set: StatefulSet, ordinal: number, { informer }: ReconcileContext): boolean {
  const name = podName(set, ordinal);
  const pod = informer(Pod).get(name, set.metadata.namespace);
  return claimsOf(set, ordinal).some(({ claim }) => {
    const present = informer(PersistentVolumeClaim).get(claim, set.metadata.namespace);
    const owners = present?.metadata.ownerReferences ?? [];
    return owners.some((owner) => owner.kind === 'Pod' && owner.name === name && owner.uid !== pod?.metadata.uid);
  });
}

/** Makes the claims of an ordinal that are not there yet. Throws what the API server refuses with. */
export async function createClaims(set: StatefulSet, ordinal: number, context: ReconcileContext): Promise<void> {
  const { client, recorder, informer } = context;
  const { namespace } = set.metadata;
  const object = withKind(StatefulSet, set);
  for (const [index, { claim }] of claimsOf(set, ordinal).entries()) {
    const template = set.spec.volumeClaimTemplates?.[index];
    const present = informer(PersistentVolumeClaim).get(claim, namespace);
    if (present?.metadata.deletionTimestamp) throw new Error(`pvc ${claim} is being deleted`);
    if (present || !template) continue;
    const labels = { ...template.metadata.labels, ...set.spec.selector?.matchLabels };
    const metadata = { name: claim, namespace, labels, annotations: template.metadata.annotations };
    const what = `Claim ${claim} Pod ${podName(set, ordinal)} in StatefulSet ${set.metadata.name}`;
    try {
      await client.create(PersistentVolumeClaim, { metadata, spec: template.spec });
      recorder.event(object, 'Normal', 'SuccessfulCreate', `create ${what} success`);
    } catch (error) {
      if (isReason(error, 'AlreadyExists')) continue;
      recorder.event(object, 'Warning', 'FailedCreate', `create ${what} failed error: ${(error as Error).message}`);
      throw error;
    }
  }
}

/** Brings the owners of a pod's claims in line with the retention policy. */
export async function syncClaimOwners(set: StatefulSet, pod: Pod, context: ReconcileContext): Promise<void> {
  const { client, informer } = context;
  for (const { claim } of claimsOf(set, ordinalOf(pod))) {
    const present = informer(PersistentVolumeClaim).get(claim, set.metadata.namespace);
    const ownerReferences = present && claimOwners(set, pod, present.metadata.ownerReferences);
    if (!present || !ownerReferences) continue;
    await client.update(PersistentVolumeClaim, { ...present, metadata: { ...present.metadata, ownerReferences } });
  }
}
