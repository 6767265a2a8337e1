import type { KubernetesObject } from '@kubernode/api';
import type { PersistentVolume } from '@kubernode/api/core/v1';
import type { ClusterState } from '../../seams.ts';

/** Which volumes need a Secret to be mounted: kept from the volumes as they change. */
export class VolumeSecrets {
  /** `namespace/name` of a Secret → volumes. */
  readonly #volumes = new Map<string, Set<string>>();
  readonly #secretsOf = new Map<string, readonly string[]>();

  constructor(state: ClusterState) {
    for (const volume of state.list('', 'persistentvolumes')) this.#put(volume);
    state.onChange('', 'persistentvolumes', (volume, deleted) => {
      this.#remove(volume.metadata.name);
      if (!deleted) this.#put(volume);
    });
  }

  /** Names of the volumes that need the Secret. */
  volumesWith(namespace: string, name: string): Iterable<string> {
    return this.#volumes.get(`${namespace}/${name}`) ?? [];
  }

  #put(object: KubernetesObject): void {
    const { name } = object.metadata;
    const keys = secretsOf(object as PersistentVolume);
    if (keys.length === 0) return;
    this.#secretsOf.set(name, keys);
    for (const key of keys) {
      const volumes = this.#volumes.get(key) ?? new Set<string>();
      this.#volumes.set(key, volumes.add(name));
    }
  }

  #remove(name: string): void {
    for (const key of this.#secretsOf.get(name) ?? []) {
      const volumes = this.#volumes.get(key);
      volumes?.delete(name);
      if (volumes?.size === 0) this.#volumes.delete(key);
    }
    this.#secretsOf.delete(name);
  }
}

interface SecretName {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}

/** Those that a kubelet reads; a driver's controller reads others. Without a namespace it is the claim's. */
function secretsOf({ spec }: PersistentVolume): string[] {
  const claim = spec?.claimRef;
  if (!claim) return [];
  const azure = spec.azureFile;
  const found: (SecretName | undefined)[] = [
    spec.csi?.nodePublishSecretRef,
    spec.csi?.nodeStageSecretRef,
    spec.csi?.nodeExpandSecretRef,
    spec.iscsi?.secretRef,
    spec.rbd?.secretRef,
    spec.cephfs?.secretRef,
    spec.cinder?.secretRef,
    spec.flexVolume?.secretRef,
    spec.scaleIO?.secretRef,
    spec.storageos?.secretRef,
    azure && { name: azure.secretName, namespace: azure.secretNamespace },
  ];
  return found.flatMap((secret) =>
    secret?.name ? [`${secret.namespace || (claim.namespace ?? '')}/${secret.name}`] : [],
  );
}
