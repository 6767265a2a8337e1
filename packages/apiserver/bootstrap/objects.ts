import { isReason, type KubernetesObject, type Transport } from '@kubernode/api';
import type { ClusterState } from '../seams.ts';
import { asServer, type BootstrapFacts } from './facts.ts';

/** The last part of a collection's path. */
export const pluralOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const groupOf = (path: string): string => (path.startsWith('/apis/') ? path.split('/')[2]! : '');

/** Writes what misses of the collections; what stands stays as its owner made it. */
export async function createMissing(
  state: ClusterState,
  transport: Transport,
  facts: BootstrapFacts,
  paths: readonly string[],
): Promise<void> {
  const writes = paths.flatMap((path) =>
    (facts[path] ?? [])
      .filter(({ metadata }) => !state.get(groupOf(path), pluralOf(path), metadata.name, metadata.namespace))
      .map((object) => createOne(transport, path, object)),
  );
  await Promise.all(writes);
}

/** Another server that starts at the same time may have been faster. */
export async function createOne(
  transport: Transport,
  path: string,
  object: KubernetesObject,
  query: Readonly<Record<string, string>> = asServer,
): Promise<void> {
  try {
    await transport.request({ method: 'POST', query, path: collectionOf(path, object), body: object });
  } catch (error) {
    if (!isReason(error, 'AlreadyExists')) throw error;
  }
}

/** Changes an object; one that was changed or deleted meanwhile is left for the next time. */
export async function updateOne(
  transport: Transport,
  path: string,
  object: KubernetesObject,
  query: Readonly<Record<string, string>> = asServer,
): Promise<void> {
  try {
    const own = `${collectionOf(path, object)}/${object.metadata.name}`;
    await transport.request({ method: 'PUT', query, path: own, body: object });
  } catch (error) {
    if (!isReason(error, 'Conflict') && !isReason(error, 'NotFound')) throw error;
  }
}

export async function deleteOne(transport: Transport, path: string, object: KubernetesObject): Promise<void> {
  try {
    const own = `${collectionOf(path, object)}/${object.metadata.name}`;
    await transport.request({ method: 'DELETE', path: own });
  } catch (error) {
    if (!isReason(error, 'NotFound')) throw error;
  }
}

/** `/api/v1/configmaps` and an object → `/api/v1/namespaces/kube-system/configmaps` */
function collectionOf(path: string, { metadata }: KubernetesObject): string {
  if (!metadata.namespace) return path;
  const parts = path.split('/');
  parts.splice(-1, 0, 'namespaces', metadata.namespace);
  return parts.join('/');
}
