import { isReason } from '@kubernode/api';
import { Deployment, ReplicaSet } from '@kubernode/api/apps/v1';
import type { ReconcileContext } from '@kubernode/client';
import { deepEqual } from '@kubernode/machinery';
import { contentHash } from '../shared/hash.ts';
import { controllerReference, withKind } from '../shared/owner-reference.ts';
import { newSetAnnotations, revisionAnnotation, revisionOf, sizeAnnotations } from './annotations.ts';
import { sizeOfNew } from './decide.ts';
import { hashLabel, sameTemplate } from './replica-sets.ts';
import { hasDeadline, withCondition } from './status.ts';

/** The deployment as it stands after its set was found or made, and that set. */
export interface Found {
  readonly deployment: Deployment;
  readonly fresh: ReplicaSet | undefined;
}

/** Brings revision and annotations of the present set up to date; makes it where it misses and `create` says so. */
export async function syncNewReplicaSet(
  deployment: Deployment,
  fresh: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  create: boolean,
  context: ReconcileContext,
): Promise<Found> {
  const revision = Math.max(0, ...old.map(revisionOf)) + 1;
  if (fresh) return updateSet(deployment, fresh, revision, context);
  return create ? createSet(deployment, old, revision, context) : { deployment, fresh: undefined };
}

async function updateSet(
  deployment: Deployment,
  fresh: ReplicaSet,
  revision: number,
  { client, now }: ReconcileContext,
): Promise<Found> {
  const annotations = newSetAnnotations(deployment, fresh, revision);
  const minReadySeconds = deployment.spec.minReadySeconds;
  const differs =
    !deepEqual(annotations, fresh.metadata.annotations ?? {}) || minReadySeconds !== fresh.spec.minReadySeconds;
  const set = differs
    ? await client.update(ReplicaSet, {
        ...fresh,
        metadata: { ...fresh.metadata, annotations },
        spec: { ...fresh.spec, minReadySeconds },
      })
    : fresh;
  const message = `Found new replica set ${JSON.stringify(set.metadata.name)}`;
  const isKnown = deployment.status.conditions?.some(({ type }) => type === 'Progressing') ?? false;
  const progress = isKnown ? undefined : { reason: 'FoundNewReplicaSet', message };
  const noted = await note(deployment, annotations[revisionAnnotation], progress, client, now());
  return { fresh: set, deployment: noted };
}

/**
 * Writes the revision and, as condition Progressing, a step of the rollout. Both go through the status subresource,
 * which takes annotations too and leaves the generation alone.
 */
async function note(
  deployment: Deployment,
  revision: string | undefined,
  progress: { readonly reason: string; readonly message: string } | undefined,
  client: ReconcileContext['client'],
  nowMs: number,
): Promise<Deployment> {
  const { annotations = {} } = deployment.metadata;
  const { conditions = [] } = deployment.status;
  const isRevised = revision !== undefined && annotations[revisionAnnotation] !== revision;
  const status = progress?.reason === 'ReplicaSetCreateError' ? ('False' as const) : ('True' as const);
  const next =
    progress && hasDeadline(deployment)
      ? withCondition(conditions, { type: 'Progressing', status, ...progress }, nowMs)
      : conditions;
  if (!isRevised && deepEqual(next, conditions)) return deployment;
  const noted = isRevised ? { ...annotations, [revisionAnnotation]: revision } : annotations;
  return client.updateStatus(Deployment, {
    ...deployment,
    metadata: { ...deployment.metadata, annotations: noted },
    status: { ...deployment.status, ...(next.length > 0 ? { conditions: next } : {}) },
  });
}

async function createSet(
  deployment: Deployment,
  old: readonly ReplicaSet[],
  revision: number,
  context: ReconcileContext,
): Promise<Found> {
  const { client, recorder, now } = context;
  const hash = contentHash(deployment.spec.template, deployment.status.collisionCount);
  const replicas = sizeOfNew(deployment, undefined, old);
  const wanted = setOf(deployment, hash, replicas, revision);
  try {
    const fresh = await client.create(ReplicaSet, wanted);
    if (replicas > 0) {
      const message = `Scaled up replica set ${fresh.metadata.name} from 0 to ${replicas}`;
      recorder.event(withKind(Deployment, deployment), 'Normal', 'ScalingReplicaSet', message);
    }
    const message = `Created new replica set ${JSON.stringify(fresh.metadata.name)}`;
    const progress = { reason: 'NewReplicaSetCreated', message };
    return { fresh, deployment: await note(deployment, String(revision), progress, client, now()) };
  } catch (error) {
    if (isReason(error, 'AlreadyExists')) return onCollision(deployment, wanted.metadata.name, context);
    if (!isReason(error, 'Conflict')) {
      const { message } = error as Error;
      await note(deployment, undefined, { reason: 'ReplicaSetCreateError', message }, client, now());
    }
    throw error;
  }
}

function setOf(deployment: Deployment, hash: string, replicas: number, revision: number) {
  const { metadata, spec } = deployment;
  const { template, selector, minReadySeconds } = spec;
  const labels = { ...template.metadata.labels, [hashLabel]: hash };
  return {
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace,
      labels,
      annotations: { ...newSetAnnotations(deployment, undefined, revision), ...sizeAnnotations(deployment) },
      ownerReferences: [controllerReference(Deployment, deployment)],
    },
    spec: {
      replicas,
      minReadySeconds,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** The name is taken: by a set of ours that the informer has not shown yet, or by another template of the same hash. */
async function onCollision(deployment: Deployment, name: string, { client }: ReconcileContext): Promise<Found> {
  const present = await client.get(ReplicaSet, name, deployment.metadata.namespace);
  const isOurs = present.metadata.ownerReferences?.some(({ uid }) => uid === deployment.metadata.uid) ?? false;
  if (isOurs && sameTemplate(present.spec.template, deployment.spec.template)) return { deployment, fresh: present };
  const collisionCount = (deployment.status.collisionCount ?? 0) + 1;
  await client.updateStatus(Deployment, { ...deployment, status: { ...deployment.status, collisionCount } });
  throw new Error(`the name ${name} is taken by another replica set; trying with collision count ${collisionCount}`);
}
