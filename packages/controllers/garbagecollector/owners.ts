import { isReason, type Kind, type KubernetesObject } from '@kubernode/api';
import type { OwnerReference } from '@kubernode/api/meta/v1';
import type { Client } from '@kubernode/client';
import { couldOwn, type GraphNode, type OwnerGraph } from './graph.ts';

/** The owners of an object, by what is known of them. */
export interface OwnersState {
  readonly solid: readonly OwnerReference[];
  /** Not there. */
  readonly dangling: readonly OwnerReference[];
  /** There, and waiting for this object to go. */
  readonly waiting: readonly OwnerReference[];
}

export interface OwnerLookup {
  readonly client: Client;
  readonly graph: OwnerGraph;
  readonly kindOf: (apiVersion: string, kind: string) => Kind<KubernetesObject> | undefined;
}

/** Thrown where nothing serves an owner's kind: then nobody knows whether the owner is there. */
export class UnknownOwnerKind extends Error {}

/** An owner counts as absent only where the server says so. */
export async function ownersState(
  references: readonly OwnerReference[],
  node: GraphNode,
  lookup: OwnerLookup,
): Promise<OwnersState> {
  const states = await Promise.all(references.map((reference) => ownerState(reference, node, lookup)));
  const inState = (state: string) => references.filter((_, index) => states[index] === state);
  return { solid: inState('solid'), dangling: inState('dangling'), waiting: inState('waiting') };
}

async function ownerState(
  reference: OwnerReference,
  { identity }: GraphNode,
  { client, graph, kindOf }: OwnerLookup,
): Promise<'solid' | 'dangling' | 'waiting'> {
  const known = graph.get(reference.uid);
  if (known && !known.isVirtual && couldOwn(known.identity, reference, identity.namespace))
    return known.isDeletingDependents ? 'waiting' : 'solid';
  const kind = kindOf(reference.apiVersion, reference.kind);
  if (!kind) throw new UnknownOwnerKind(`nothing serves the owner's kind ${reference.apiVersion} ${reference.kind}`);
  // An object of the cluster cannot be owned by one in a namespace: nobody knows which.
  if (kind.namespaced && identity.namespace === '') return 'solid';
  try {
    const { metadata } = await client.get(kind, reference.name, kind.namespaced ? identity.namespace : undefined);
    if (metadata.uid !== reference.uid) return 'dangling';
    return metadata.deletionTimestamp && metadata.finalizers?.includes('foregroundDeletion') ? 'waiting' : 'solid';
  } catch (error) {
    if (isReason(error, 'NotFound')) return 'dangling';
    throw error;
  }
}
