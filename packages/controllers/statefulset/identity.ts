import type { StatefulSet } from '@kubernode/api/apps/v1';
import type { Pod, PodTemplateSpec, Volume } from '@kubernode/api/core/v1';

const podNameLabel = 'statefulset.kubernetes.io/pod-name';
const podIndexLabel = 'apps.kubernetes.io/pod-index';
const revisionLabel = 'controller-revision-hash';

/** The name of the set and the number of the pod, read from the pod's name; undefined where it has no number. */
export function parentAndOrdinal(podName: string): { readonly parent: string; readonly ordinal: number } | undefined {
  const match = /^(.*)-([0-9]+)$/.exec(podName);
  return match ? { parent: match[1] ?? '', ordinal: Number(match[2]) } : undefined;
}

export function ordinalOf({ metadata }: Pod): number {
  return parentAndOrdinal(metadata.name)?.ordinal ?? -1;
}

export const podName = ({ metadata }: StatefulSet, ordinal: number) => `${metadata.name}-${ordinal}`;
export const startOf = ({ spec }: StatefulSet) => spec.ordinals?.start ?? 0;
export const replicasOf = ({ spec }: StatefulSet) => spec.replicas ?? 1;
export const revisionOf = ({ metadata }: Pod) => metadata.labels?.[revisionLabel];

/** Whether the pod is one of those that the set asks for. */
export function isInRange(set: StatefulSet, ordinal: number): boolean {
  return ordinal >= startOf(set) && ordinal < startOf(set) + replicasOf(set);
}

/** The claims of one pod: the template's name, and the name of the claim. */
export function claimsOf(set: StatefulSet, ordinal: number): { readonly volume: string; readonly claim: string }[] {
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => ({
    volume: metadata.name,
    claim: `${metadata.name}-${set.metadata.name}-${ordinal}`,
  }));
}

/** The labels that make a pod this one of the set. */
export function identityLabels(set: StatefulSet, ordinal: number): Record<string, string> {
  return { [podNameLabel]: podName(set, ordinal), [podIndexLabel]: String(ordinal) };
}

/** The volumes of a pod: the set's claims take the place of the template's volumes of the same name. */
function volumesOf(set: StatefulSet, ordinal: number, volumes: readonly Volume[] = []): Volume[] {
  const claims = claimsOf(set, ordinal);
  const own = new Set(claims.map(({ volume }) => volume));
  return [
    ...claims.map(({ volume, claim }) => ({ name: volume, persistentVolumeClaim: { claimName: claim } })),
    ...volumes.filter(({ name }) => !own.has(name)),
  ];
}

/** Whether the pod has the labels of its place, and the volumes of its claims. */
export function hasIdentity(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalOf(pod);
  const labels = Object.entries(identityLabels(set, ordinal));
  if (labels.some(([key, value]) => pod.metadata.labels?.[key] !== value)) return false;
  return claimsOf(set, ordinal).every(({ volume, claim }) =>
    pod.spec.volumes?.some(
      ({ name, persistentVolumeClaim }) => name === volume && persistentVolumeClaim?.claimName === claim,
    ),
  );
}

/** What is sent to make the pod of an ordinal. */
export function podSpec(set: StatefulSet, ordinal: number, { metadata, spec }: PodTemplateSpec, revision: string) {
  const name = podName(set, ordinal);
  return {
    metadata: {
      name,
      generateName: `${set.metadata.name}-`,
      namespace: set.metadata.namespace,
      labels: { ...metadata.labels, ...identityLabels(set, ordinal), [revisionLabel]: revision },
      annotations: metadata.annotations,
      finalizers: metadata.finalizers,
    },
    spec: spec && {
      ...spec,
      hostname: name,
      ...(set.spec.serviceName ? { subdomain: set.spec.serviceName } : {}),
      volumes: volumesOf(set, ordinal, spec.volumes),
    },
  };
}
