import { join } from 'node:path';
import type { Pod, Volume } from '@kubernode/api/core/v1';
import { VolumeError } from './payload.ts';
import type { PodDirs } from './volume-dirs.ts';

/** How one volume of a pod is made on this node. */
export type VolumePlan =
  | { readonly type: 'emptyDir'; readonly path: string; readonly memory: boolean }
  /** Files made of API data, replaced as they change. */
  | { readonly type: 'payload'; readonly path: string }
  | { readonly type: 'hostPath'; readonly path: string }
  | { readonly type: 'claim'; readonly claim: string; readonly readOnly: boolean };

/** Decides how a volume is made; throws VolumeError for what this node refuses, by name. Pure. */
export function planVolume(volume: Volume, dirs: PodDirs): VolumePlan {
  const dir = (plugin: string) => join(dirs.volumes, `kubernetes.io~${plugin}`, volume.name);
  if (volume.emptyDir) {
    const { medium = '' } = volume.emptyDir;
    if (medium !== '' && medium !== 'Memory') throw refused(volume, `emptyDir with medium "${medium}"`);
    return { type: 'emptyDir', path: dir('empty-dir'), memory: medium === 'Memory' };
  }
  if (volume.configMap) return { type: 'payload', path: dir('configmap') };
  if (volume.downwardAPI) return { type: 'payload', path: dir('downward-api') };
  if (volume.secret) return { type: 'payload', path: join(dirs.secrets, 'kubernetes.io~secret', volume.name) };
  if (volume.projected) {
    for (const source of volume.projected.sources) {
      if (source.clusterTrustBundle) throw refused(volume, 'a clusterTrustBundle projection');
      if (source.podCertificate) throw refused(volume, 'a podCertificate projection');
    }
    return { type: 'payload', path: join(dirs.secrets, 'kubernetes.io~projected', volume.name) };
  }
  if (volume.hostPath) return { type: 'hostPath', path: volume.hostPath.path };
  if (volume.persistentVolumeClaim) {
    const { claimName, readOnly = false } = volume.persistentVolumeClaim;
    return { type: 'claim', claim: claimName, readOnly };
  }
  if (volume.ephemeral) return { type: 'claim', claim: '', readOnly: false };
  const source = Object.keys(volume).find((key) => key !== 'name' && volume[key as keyof Volume] !== undefined);
  if (source) throw refused(volume, `the ${source} volume type`);
  return { type: 'emptyDir', path: dir('empty-dir'), memory: false };
}

function refused(volume: Volume, what: string): VolumeError {
  return new VolumeError(`volume "${volume.name}": ${what} is not supported by this node`);
}

/** The claim behind a volume; that of an ephemeral volume is named after pod and volume. */
export function claimNameOf(pod: Pod, volume: Volume): string {
  return volume.persistentVolumeClaim?.claimName ?? `${pod.metadata.name}-${volume.name}`;
}

/** Volumes that some container of the pod mounts; others are not made (upstream: mounted only when used). */
export function usedVolumes(pod: Pod): readonly Volume[] {
  const containers = [
    ...(pod.spec.initContainers ?? []),
    ...pod.spec.containers,
    ...(pod.spec.ephemeralContainers ?? []),
  ];
  const used = new Set(containers.flatMap(({ volumeMounts }) => (volumeMounts ?? []).map(({ name }) => name)));
  return (pod.spec.volumes ?? []).filter(({ name }) => used.has(name));
}
