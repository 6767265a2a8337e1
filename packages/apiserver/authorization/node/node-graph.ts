import type { KubernetesObject } from '@kubernode/api';
import type { PersistentVolume, Pod } from '@kubernode/api/core/v1';
import type { ClusterState } from '../../seams.ts';
import { podReferences } from './pod-references.ts';
import { VolumeSecrets } from './volume-secrets.ts';

/** What a node may read because a pod of it needs it. */
export type NeededResource =
  | 'secrets'
  | 'configmaps'
  | 'persistentvolumeclaims'
  | 'serviceaccounts'
  | 'resourceclaims'
  | 'pods';

/**
 * Which objects belong to which node: node ← pod ← what the pod refers to (plugin/pkg/auth/authorizer/node). Kept from
 * the pods as they change; claims, volumes and attachments are looked up when asked.
 */
export class NodeGraph {
  readonly #state: ClusterState;
  /** `resource/namespace/name` → node → how many pods of the node need it. */
  readonly #needs = new Map<string, Map<string, number>>();
  /** What each pod added, to take it away again. */
  readonly #byPod = new Map<string, { readonly node: string; readonly keys: readonly string[] }>();
  #volumeSecrets: VolumeSecrets | undefined;
  #loaded = false;

  constructor(state: ClusterState) {
    this.#state = state;
  }

  /** Whether a pod of the node needs the object. */
  needs(node: string, resource: NeededResource, namespace: string, name: string): boolean {
    this.#load();
    if (this.#needs.get(keyOf(resource, namespace, name))?.has(node)) return true;
    return resource === 'secrets' && this.#volumesNeedSecret(node, namespace, name);
  }

  /** Whether a claim that a pod of the node uses is bound to the volume. */
  needsVolume(node: string, name: string): boolean {
    const volume = this.#state.get('', 'persistentvolumes', name) as PersistentVolume | undefined;
    const claim = volume?.spec?.claimRef;
    return Boolean(claim?.name) && this.needs(node, 'persistentvolumeclaims', claim!.namespace ?? '', claim!.name!);
  }

  /** Secrets that a volume of the node's pods needs to be mounted. */
  #volumesNeedSecret(node: string, namespace: string, name: string): boolean {
    this.#volumeSecrets ??= new VolumeSecrets(this.#state);
    for (const volume of this.#volumeSecrets.volumesWith(namespace, name)) {
      if (this.needsVolume(node, volume)) return true;
    }
    return false;
  }

  #load(): void {
    if (this.#loaded) return;
    this.#loaded = true;
    for (const pod of this.#state.list('', 'pods')) this.#put(pod);
    this.#state.onChange('', 'pods', (pod, deleted) => {
      this.#remove(pod);
      if (!deleted) this.#put(pod);
    });
  }

  #put(object: KubernetesObject): void {
    const pod = object as Pod;
    const node = pod.spec.nodeName;
    if (!node) return;
    const namespace = pod.metadata.namespace ?? '';
    const keys = [keyOf('pods', namespace, pod.metadata.name)];
    // A node must not give itself rights by a pod that it makes itself.
    if (pod.metadata.annotations?.['kubernetes.io/config.mirror'] === undefined) {
      const { secrets, configMaps, claims, resourceClaims } = podReferences(pod);
      const add = (resource: NeededResource, names: Iterable<string>) => {
        for (const name of names) keys.push(keyOf(resource, namespace, name));
      };
      add('secrets', secrets);
      add('configmaps', configMaps);
      add('persistentvolumeclaims', claims);
      add('resourceclaims', resourceClaims);
      if (pod.spec.serviceAccountName) add('serviceaccounts', [pod.spec.serviceAccountName]);
    }
    for (const key of keys) {
      const nodes = this.#needs.get(key) ?? new Map<string, number>();
      this.#needs.set(key, nodes.set(node, (nodes.get(node) ?? 0) + 1));
    }
    this.#byPod.set(`${namespace}/${pod.metadata.name}`, { node, keys });
  }

  #remove({ metadata }: KubernetesObject): void {
    const id = `${metadata.namespace ?? ''}/${metadata.name}`;
    const known = this.#byPod.get(id);
    if (!known) return;
    this.#byPod.delete(id);
    for (const key of known.keys) {
      const nodes = this.#needs.get(key);
      const count = (nodes?.get(known.node) ?? 0) - 1;
      if (count > 0) nodes?.set(known.node, count);
      else nodes?.delete(known.node);
      if (nodes?.size === 0) this.#needs.delete(key);
    }
  }
}

const keyOf = (resource: NeededResource, namespace: string, name: string): string => `${resource}/${namespace}/${name}`;
