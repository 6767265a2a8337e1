import { isReason, type Kind, type KubernetesObject } from '@kubernode/api';
import type { OwnerReference } from '@kubernode/api/meta/v1';
import type { Client } from '@kubernode/client';
import type { GraphNode } from './graph.ts';
import { ownersState, type OwnerLookup, UnknownOwnerKind } from './owners.ts';

const foregroundFinalizer = 'foregroundDeletion';
const orphanFinalizer = 'orphan';

export interface Collection extends OwnerLookup {
  readonly toCheck: (uid: string) => void;
}

/** Deletes an object none of whose owners is left, or lets one go that waited for its dependents. */
export async function collect(node: GraphNode, collection: Collection): Promise<void> {
  if (node.isBeingDeleted && !node.isDeletingDependents) return;
  if (!node.isVirtual && !node.isDeletingDependents && node.owners.length === 0) return;
  const { graph, client } = collection;
  const { uid } = node.identity;
  const kind = kindOf(node, collection);
  const latest = await live(client, kind, node);
  if (latest === undefined) return graph.remove(uid);
  if (node.isVirtual) return;
  if (node.isDeletingDependents) return finishForeground(latest, kind, node, collection);
  const references = latest.metadata.ownerReferences ?? [];
  if (references.length === 0) return;
  const { solid, dangling, waiting } = await ownersState(references, node, collection);
  if (solid.length > 0) {
    graph.link(node);
    if (dangling.length + waiting.length > 0) await patchOwners(client, kind, latest, solid);
    return;
  }
  if (waiting.length > 0 && [...node.dependents].some(({ isDeletingDependents }) => isDeletingDependents)) {
    // A circle of owners that wait for each other: let go of this link.
    const unblocked = references.map((reference) => ({ ...reference, blockOwnerDeletion: false }));
    await patchOwners(client, kind, latest, unblocked);
  }
  const propagationPolicy = waiting.length > 0 && node.dependents.size > 0 ? 'Foreground' : policyOf(latest);
  const { name, namespace } = latest.metadata;
  await client.delete(kind, { name, namespace }, { preconditions: { uid }, propagationPolicy }).catch(ignoreGone);
}

/** Takes itself out of the dependents' owners, then lets the object go (`propagationPolicy: Orphan`). */
export async function orphanDependents(node: GraphNode, collection: Collection): Promise<void> {
  const { client } = collection;
  for (const dependent of node.dependents) {
    const kind = kindOf(dependent, collection);
    const latest = await live(client, kind, dependent);
    const references = latest?.metadata.ownerReferences ?? [];
    const others = references.filter(({ uid }) => uid !== node.identity.uid);
    if (latest && others.length < references.length) await patchOwners(client, kind, latest, others);
  }
  const kind = kindOf(node, collection);
  const latest = await live(client, kind, node);
  if (latest) await removeFinalizer(client, kind, latest, orphanFinalizer);
}

/** It may go once none of those is left that block its deletion. */
async function finishForeground(
  latest: KubernetesObject,
  kind: Kind<KubernetesObject>,
  node: GraphNode,
  { client, toCheck }: Collection,
): Promise<void> {
  const { uid } = node.identity;
  const blocking = [...node.dependents].filter(({ owners }) =>
    owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion),
  );
  if (blocking.length === 0) return removeFinalizer(client, kind, latest, foregroundFinalizer);
  for (const dependent of blocking) if (!dependent.isDeletingDependents) toCheck(dependent.identity.uid);
}

function kindOf({ identity }: GraphNode, lookup: OwnerLookup): Kind<KubernetesObject> {
  const kind = lookup.kindOf(identity.apiVersion, identity.kind);
  if (kind) return kind;
  throw new UnknownOwnerKind(`nothing serves the kind ${identity.apiVersion} ${identity.kind}`);
}

/** The object as it is now; undefined where there is none, or another of its name. */
async function live(
  client: Client,
  kind: Kind<KubernetesObject>,
  { identity }: GraphNode,
): Promise<KubernetesObject | undefined> {
  try {
    const latest = await client.get(kind, identity.name, kind.namespaced ? identity.namespace : undefined);
    return latest.metadata.uid === identity.uid ? latest : undefined;
  } catch (error) {
    if (isReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

function policyOf({ metadata }: KubernetesObject): 'Orphan' | 'Foreground' | 'Background' {
  if (metadata.finalizers?.includes(orphanFinalizer)) return 'Orphan';
  return metadata.finalizers?.includes(foregroundFinalizer) ? 'Foreground' : 'Background';
}

/** With the version that was read: an owner that came meanwhile is not lost. */
async function patchOwners(
  client: Client,
  kind: Kind<KubernetesObject>,
  { metadata }: KubernetesObject,
  ownerReferences: readonly OwnerReference[],
): Promise<void> {
  const { name, namespace, uid, resourceVersion } = metadata;
  const owners = ownerReferences.length > 0 ? ownerReferences : null;
  const body = { metadata: { uid, resourceVersion, ownerReferences: owners } };
  await client.patch(kind, { name, namespace }, { type: 'merge', body }).catch(ignoreGone);
}

async function removeFinalizer(
  client: Client,
  kind: Kind<KubernetesObject>,
  { metadata }: KubernetesObject,
  finalizer: string,
): Promise<void> {
  const { name, namespace, uid, resourceVersion, finalizers = [] } = metadata;
  if (!finalizers.includes(finalizer)) return;
  const left = finalizers.filter((one) => one !== finalizer);
  const body = { metadata: { uid, resourceVersion, finalizers: left.length > 0 ? left : null } };
  await client.patch(kind, { name, namespace }, { type: 'merge', body }).catch(ignoreGone);
}

function ignoreGone(error: unknown): void {
  if (!isReason(error, 'NotFound')) throw error;
}
