import type { Pod, Volume } from '@kubernode/api/core/v1';
import type { PodAddresses } from '../env/field-ref.ts';
import type { NodeAllocatable } from '../env/resource-ref.ts';
import type { ReferencedObjects } from './objects.ts';
import { configMapPayload, downwardPayload, secretPayload, type Payload, type PayloadFile } from './payload.ts';
import type { ServiceAccountTokens } from './tokens.ts';

export interface PayloadSources extends PodAddresses {
  readonly objects: ReferencedObjects;
  readonly tokens: ServiceAccountTokens;
  readonly allocatable: NodeAllocatable;
  /** Aborted once nobody wants the volumes any more. */
  readonly signal: AbortSignal;
}

const modeDefault = 0o644;

/** The files of a configMap, secret, downwardAPI or projected volume as they should be now. */
export async function volumePayload(pod: Pod, volume: Volume, sources: PayloadSources): Promise<Payload> {
  const { namespace = '', uid } = pod.metadata;
  if (volume.configMap) {
    const { name = '', items, defaultMode = modeDefault, optional } = volume.configMap;
    const configMap = await sources.objects.configMap(namespace, name, uid);
    return configMapPayload(name, configMap, { items, defaultMode, optional });
  }
  if (volume.secret) {
    const { secretName = '', items, defaultMode = modeDefault, optional } = volume.secret;
    const secret = await sources.objects.secret(namespace, secretName, uid);
    return secretPayload(secretName, secret, { items, defaultMode, optional });
  }
  if (volume.downwardAPI) {
    const { items = [], defaultMode = modeDefault } = volume.downwardAPI;
    return downwardPayload(pod, items, defaultMode, sources, sources.allocatable);
  }
  const files = new Map<string, PayloadFile>();
  const { sources: parts = [], defaultMode = modeDefault } = volume.projected ?? {};
  for (const part of parts) {
    for (const [path, file] of await projectionPayload(pod, part, defaultMode, sources)) files.set(path, file);
  }
  return files;
}

async function projectionPayload(
  pod: Pod,
  part: NonNullable<Volume['projected']>['sources'][number],
  defaultMode: number,
  sources: PayloadSources,
): Promise<Payload> {
  const { namespace = '', uid } = pod.metadata;
  if (part.configMap) {
    const { name = '', items, optional } = part.configMap;
    const configMap = await sources.objects.configMap(namespace, name, uid);
    return configMapPayload(name, configMap, { items, defaultMode, optional });
  }
  if (part.secret) {
    const { name = '', items, optional } = part.secret;
    return secretPayload(name, await sources.objects.secret(namespace, name, uid), { items, defaultMode, optional });
  }
  if (part.downwardAPI) {
    return downwardPayload(pod, part.downwardAPI.items ?? [], defaultMode, sources, sources.allocatable);
  }
  if (part.serviceAccountToken) {
    const token = await sources.tokens.token(pod, part.serviceAccountToken);
    const owner = singleUser(pod);
    const narrow = owner !== undefined || pod.spec.securityContext?.fsGroup !== undefined;
    const file = { data: Buffer.from(token), mode: narrow ? 0o600 : defaultMode, uid: owner };
    return new Map([[part.serviceAccountToken.path, file]]);
  }
  return new Map();
}

/** The one user that all containers run as: the owner of token files, which nobody else needs to read then. */
function singleUser(pod: Pod): number | undefined {
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const users = new Set(
    containers.map(({ securityContext }) => securityContext?.runAsUser ?? pod.spec.securityContext?.runAsUser),
  );
  return users.size === 1 ? [...users][0] : undefined;
}
