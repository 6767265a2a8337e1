import type { Container, Pod } from '@kubernode/api/core/v1';

/** Names in the pod's namespace of all that its node must be able to read. */
export interface PodReferences {
  readonly secrets: ReadonlySet<string>;
  readonly configMaps: ReadonlySet<string>;
  readonly claims: ReadonlySet<string>;
  readonly resourceClaims: ReadonlySet<string>;
}

export function podReferences(pod: Pod): PodReferences {
  const secrets = new Set<string>();
  const configMaps = new Set<string>();
  const claims = new Set<string>();
  const add = (set: Set<string>, name: string | undefined) => {
    if (name) set.add(name);
  };
  for (const container of containersOf(pod)) {
    for (const { configMapRef, secretRef } of container.envFrom ?? []) {
      add(configMaps, configMapRef?.name);
      add(secrets, secretRef?.name);
    }
    for (const { valueFrom } of container.env ?? []) {
      add(configMaps, valueFrom?.configMapKeyRef?.name);
      add(secrets, valueFrom?.secretKeyRef?.name);
    }
  }
  for (const reference of pod.spec.imagePullSecrets ?? []) add(secrets, reference.name);
  for (const volume of pod.spec.volumes ?? []) {
    add(configMaps, volume.configMap?.name);
    for (const name of volumeSecrets(volume)) add(secrets, name);
    for (const source of volume.projected?.sources ?? []) {
      add(configMaps, source.configMap?.name);
      add(secrets, source.secret?.name);
    }
    add(claims, volume.persistentVolumeClaim?.claimName);
    if (volume.ephemeral) add(claims, `${pod.metadata.name}-${volume.name}`);
  }
  return { secrets, configMaps, claims, resourceClaims: resourceClaimsOf(pod) };
}

type Volume = NonNullable<Pod['spec']['volumes']>[number];

const volumeSecrets = (volume: Volume): (string | undefined)[] => [
  volume.secret?.secretName,
  volume.azureFile?.secretName,
  volume.cephfs?.secretRef?.name,
  volume.cinder?.secretRef?.name,
  volume.csi?.nodePublishSecretRef?.name,
  volume.flexVolume?.secretRef?.name,
  volume.iscsi?.secretRef?.name,
  volume.rbd?.secretRef?.name,
  volume.scaleIO?.secretRef?.name,
  volume.storageos?.secretRef?.name,
];

function containersOf(pod: Pod): Pick<Container, 'env' | 'envFrom'>[] {
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers, ...(pod.spec.ephemeralContainers ?? [])];
}

function resourceClaimsOf(pod: Pod): ReadonlySet<string> {
  const named = (pod.spec.resourceClaims ?? []).map((claim) => claim.resourceClaimName);
  const generated = (pod.status?.resourceClaimStatuses ?? []).map((claim) => claim.resourceClaimName);
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  const all: (string | undefined)[] = [...named, ...generated, extended];
  return new Set(all.filter((name): name is string => Boolean(name)));
}
