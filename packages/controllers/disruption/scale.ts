import { isReason, type KubernetesObject } from '@kubernode/api';
import { Deployment, ReplicaSet, StatefulSet } from '@kubernode/api/apps/v1';
import { ReplicationController, type Pod } from '@kubernode/api/core/v1';
import type { OwnerReference } from '@kubernode/api/meta/v1';
import { controllerOf, type ReconcileContext } from '@kubernode/client';
import { discover } from '../shared/discovery.ts';

export interface Scale {
  /** The pods that all controllers ask for, together. */
  readonly replicas: number;
  /** Pods without a controller, which nobody asks for. */
  readonly unmanaged: readonly Pod[];
}

/** Adds up what the controllers of the pods ask for, each counted once. Throws where one of them has no scale. */
export async function expectedScale(pods: readonly Pod[], context: ReconcileContext): Promise<Scale> {
  const owners = new Map<string, OwnerReference>();
  const unmanaged: Pod[] = [];
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner) owners.set(owner.uid, owner);
    else unmanaged.push(pod);
  }
  const scales = await Promise.all([...owners.values()].map((owner) => scaleOf(owner, context)));
  const once = new Map(scales.map(({ uid, replicas }) => [uid, replicas]));
  return { replicas: [...once.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
}

interface Scaled {
  readonly uid: string;
  readonly replicas: number;
}

interface WithReplicas extends KubernetesObject {
  readonly spec: { readonly replicas?: number | undefined };
}

/** A pod's controller, or the Deployment above it: that one says how many there should be. */
async function scaleOf(owner: OwnerReference, context: ReconcileContext): Promise<Scaled> {
  const { informer, namespace } = context;
  const direct = [ReplicaSet, StatefulSet, ReplicationController].find(
    (kind) => kind.kind === owner.kind && kind.apiVersion === owner.apiVersion,
  );
  if (!direct) return scaleSubresource(owner, context);
  const found = informer(direct as typeof ReplicaSet).get(owner.name, namespace);
  if (!found || found.metadata.uid !== owner.uid) return { uid: owner.uid, replicas: 0 };
  const above = controllerOf(found);
  if (direct !== ReplicaSet || !above) return scaled(found);
  if (above.kind !== 'Deployment') return scaleSubresource(above, context);
  const deployment = informer(Deployment).get(above.name, namespace);
  return deployment?.metadata.uid === above.uid ? scaled(deployment) : scaled(found);
}

const scaled = ({ metadata, spec }: WithReplicas): Scaled => ({ uid: metadata.uid, replicas: spec.replicas ?? 1 });

/** Of a kind that is not known here: through its `scale` subresource, if it has one. */
async function scaleSubresource(
  { apiVersion, kind, name, uid }: OwnerReference,
  { client, namespace }: ReconcileContext,
): Promise<Scaled> {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  const { resources } = await discover(client);
  const resource = resources.find((one) => one.kind.group === group && one.kind.kind === kind)?.kind;
  try {
    if (resource) return scaled(await client.subresource<WithReplicas>('GET', resource, { name, namespace }, 'scale'));
  } catch (error) {
    if (!isReason(error, 'NotFound')) throw error;
  }
  throw new Error(`${resource?.plural ?? kind}.${group} does not implement the scale subresource (owner ${uid})`);
}
