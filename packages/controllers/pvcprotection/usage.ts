import type { PersistentVolumeClaim, PersistentVolumeClaimCondition, Pod } from '@kubernode/api/core/v1';
import { formatTime } from '@kubernode/machinery';
import { isFinished } from '../shared/pods.ts';

/** The names of the claims that a pod's volumes are made of. */
export function claimNamesOf({ metadata, spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata.name}-${name}`] : [];
  });
}

/** A pod holds a claim once it is on a node: from then on its kubelet may have it mounted. */
export function holds(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec.nodeName) return false;
  const { name, ownerReferences = [] } = claim.metadata;
  const { deletionTimestamp, deletionGracePeriodSeconds, uid } = pod.metadata;
  const isShutDown = deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
  return (pod.spec.volumes ?? []).some(({ name: volume, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return persistentVolumeClaim.claimName === name;
    const isItsOwn = `${pod.metadata.name}-${volume}` === name && ownerReferences.some((owner) => owner.uid === uid);
    return ephemeral !== undefined && isItsOwn && !isShutDown;
  });
}

/**
 * The conditions of a bound claim with `Unused` as it is now (KEP-5541); undefined where it says so already. Pods that
 * have ended do not count, those that wait do.
 */
export function conditionsWithUnused(
  { metadata, status }: PersistentVolumeClaim,
  pods: readonly Pod[],
  nowMs: number,
): PersistentVolumeClaimCondition[] | undefined {
  if (status.phase !== 'Bound' || metadata.deletionTimestamp) return undefined;
  const isUsed = pods.some((pod) => !isFinished(pod));
  const value = isUsed ? 'False' : 'True';
  const present = status.conditions ?? [];
  if (present.some((condition) => condition.type === 'Unused' && condition.status === value)) return undefined;
  const unused: PersistentVolumeClaimCondition = {
    type: 'Unused',
    status: value,
    reason: isUsed ? 'PodUsingPVC' : 'NoPodsUsingPVC',
    message: isUsed ? 'A pod is currently referencing this PVC' : 'No pods are currently referencing this PVC',
    lastTransitionTime: formatTime(nowMs),
  };
  return [...present.filter(({ type }) => type !== 'Unused'), unused];
}
