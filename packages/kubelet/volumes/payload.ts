import type { ConfigMap, DownwardAPIVolumeFile, KeyToPath, Pod, Secret } from '@kubernode/api/core/v1';
import { fieldValue, type PodAddresses } from '../env/field-ref.ts';
import { resourceValue, type NodeAllocatable } from '../env/resource-ref.ts';

/** One file of a volume that is made of API data. */
export interface PayloadFile {
  readonly data: Buffer;
  readonly mode: number;
  /** Owner; undefined: root. */
  readonly uid?: number | undefined;
}

/** Files by their path in the volume. */
export type Payload = ReadonlyMap<string, PayloadFile>;

/** What a volume needs and the cluster does not have: the pod waits with a FailedMount event. */
export class VolumeError extends Error {
  override readonly name = 'VolumeError';
}

interface Selection {
  readonly items?: readonly KeyToPath[] | undefined;
  readonly defaultMode: number;
  readonly optional?: boolean | undefined;
}

export function configMapPayload(name: string, configMap: ConfigMap | undefined, selection: Selection): Payload {
  if (!configMap && !selection.optional) throw new VolumeError(`configmap "${name}" not found`);
  const data = new Map<string, Buffer>();
  for (const [key, text] of Object.entries(configMap?.data ?? {})) data.set(key, Buffer.from(text));
  for (const [key, base64] of Object.entries(configMap?.binaryData ?? {})) data.set(key, Buffer.from(base64, 'base64'));
  return select(data, selection, 'configmap');
}

export function secretPayload(name: string, secret: Secret | undefined, selection: Selection): Payload {
  if (!secret && !selection.optional) throw new VolumeError(`secret "${name}" not found`);
  const entries = Object.entries(secret?.data ?? {});
  return select(new Map(entries.map(([key, base64]) => [key, Buffer.from(base64, 'base64')])), selection, 'secret');
}

function select(data: ReadonlyMap<string, Buffer>, { items, defaultMode, optional }: Selection, kind: string): Payload {
  const files = new Map<string, PayloadFile>();
  if (!items?.length) {
    for (const [key, value] of data) files.set(key, { data: value, mode: defaultMode });
    return files;
  }
  for (const { key, path, mode } of items) {
    const value = data.get(key);
    if (value) files.set(path, { data: value, mode: mode ?? defaultMode });
    else if (!optional)
      throw new VolumeError(`references non-existent ${kind === 'secret' ? 'secret' : 'config'} key: ${key}`);
  }
  return files;
}

export function downwardPayload(
  pod: Pod,
  items: readonly DownwardAPIVolumeFile[],
  defaultMode: number,
  addresses: PodAddresses,
  allocatable: NodeAllocatable,
): Payload {
  const files = new Map<string, PayloadFile>();
  for (const { path, fieldRef, resourceFieldRef, mode } of items) {
    const value = fieldRef
      ? fieldValue(pod, fieldRef.fieldPath, addresses)
      : resourceFieldRef
        ? resourceValue(pod, { name: '', resources: {} }, resourceFieldRef, allocatable)
        : '';
    files.set(path, { data: Buffer.from(value), mode: mode ?? defaultMode });
  }
  return files;
}
