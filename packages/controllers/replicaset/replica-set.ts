import { isReason, type Draft, type Kind } from '@kubernode/api';
import { ReplicaSet } from '@kubernode/api/apps/v1';
import { Pod, ReplicationController } from '@kubernode/api/core/v1';
import {
  controlledBy,
  controller,
  controllerOf,
  mapped,
  owned,
  status,
  type ReconcileContext,
  type WatchContext,
} from '@kubernode/client';
import { deepEqual, labelSelectorMatcher, type LabelSelectorLike } from '@kubernode/machinery';
import { claim } from '../shared/claim.ts';
import { isNamespaceTerminating } from '../shared/namespace-terminating.ts';
import { controllerReference, withKind } from '../shared/owner-reference.ts';
import { isActive, isTerminating, nextAvailableMs } from '../shared/pods.ts';
import { slowStart } from '../shared/slow-start.ts';
import { podsToDelete } from './rank.ts';
import { statusOf, type Failure } from './status.ts';

/** One reconciliation makes or ends at most this many pods. */
const burstMax = 500;

/** A ReplicaSet, or a ReplicationController in the same form. */
export type ReplicaOwner = ReplicaSet | ReplicationController;

/** What differs between the kinds that keep a number of pods. */
export interface ReplicaKind<T extends ReplicaOwner> {
  readonly name: string;
  readonly kind: Kind<T>;
  readonly selectorOf: (set: T) => LabelSelectorLike | undefined;
  readonly statusOf: (set: T, pods: readonly Pod[], failure: Failure | undefined, nowMs: number) => T['status'];
}

/** Keeps as many pods as the set asks for. */
export const replicaSetController = replicaController<ReplicaSet>({
  name: 'replicaset-controller',
  kind: ReplicaSet,
  selectorOf: ({ spec }) => spec.selector,
  statusOf: (set, pods, failure, nowMs) => ({
    ...statusOf(set, pods, failure, nowMs),
    terminatingReplicas: pods.filter(isTerminating).length,
  }),
});

/** The same for the elder kind, whose selector is a map of labels. */
export const replicationController = replicaController<ReplicationController>({
  name: 'replication-controller',
  kind: ReplicationController,
  selectorOf: ({ spec }) => (spec.selector ? { matchLabels: spec.selector } : undefined),
  statusOf,
});

function replicaController<T extends ReplicaOwner>(replicas: ReplicaKind<T>) {
  const { name, kind, selectorOf } = replicas;
  /** An orphan may match the selector of a set that does not know it yet. */
  const setsThatMayAdopt = (pod: Pod, context: WatchContext): string[] => {
    if (controllerOf(pod)) return [];
    const { namespace, labels } = pod.metadata;
    const all = context.informer(kind).list(namespace);
    const matching = all.filter((set) => labelSelectorMatcher(selectorOf(set)).matches(labels));
    return matching.map(({ metadata }) => `${namespace}/${metadata.name}`);
  };
  return controller<T>({
    name,
    reconciles: kind,
    watches: [owned(Pod), mapped(Pod, setsThatMayAdopt)],
    writes: [Pod, status(kind)],
    async reconcile(set, context) {
      const options = { ownerKind: kind, owner: set, selector: selectorOf(set), kind: Pod, canAdopt: isActive };
      const pods = await claim(options, context);
      const isEnding = set.metadata.deletionTimestamp !== undefined;
      const outcome = isEnding ? { error: undefined } : await manage(kind, set, pods, context);
      await writeStatus(replicas, set, pods, failureOf(outcome), context);
      if (outcome.error) throw outcome.error;
      return { requeueAfterMs: nextAvailableMs(pods, set.spec.minReadySeconds, context.now()) };
    },
  });
}

interface Outcome {
  readonly error: unknown;
  readonly tried?: 'create' | 'delete';
}

/** Makes what misses, or ends what is too much. */
async function manage<T extends ReplicaOwner>(
  kind: Kind<T>,
  set: T,
  pods: readonly Pod[],
  context: ReconcileContext,
): Promise<Outcome> {
  const active = pods.filter(isActive);
  const missing = (set.spec.replicas ?? 1) - active.length;
  if (missing === 0) return { error: undefined };
  if (missing < 0)
    return { tried: 'delete', error: await removePods(kind, set, active, Math.min(-missing, burstMax), context) };
  const { error } = await slowStart(Math.min(missing, burstMax), () => createPod(kind, set, context));
  return { tried: 'create', error: isNamespaceTerminating(error) ? undefined : error };
}

function failureOf({ error, tried }: Outcome): Failure | undefined {
  if (!error) return undefined;
  const message = error instanceof Error ? error.message : JSON.stringify(error);
  return { reason: tried === 'delete' ? 'FailedDelete' : 'FailedCreate', message };
}

async function createPod<T extends ReplicaOwner>(
  kind: Kind<T>,
  set: T,
  { client, recorder }: ReconcileContext,
): Promise<void> {
  const { template } = set.spec;
  if (!template) return;
  const { metadata, spec } = template;
  const object = withKind(kind, set);
  try {
    const pod = await client.create(Pod, {
      metadata: {
        generateName: `${set.metadata.name}-`,
        namespace: set.metadata.namespace,
        labels: metadata.labels,
        annotations: metadata.annotations,
        finalizers: metadata.finalizers,
        ownerReferences: [controllerReference(kind, set)],
      },
      spec,
    });
    recorder.event(object, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
  } catch (error) {
    if (!isNamespaceTerminating(error)) {
      recorder.event(object, 'Warning', 'FailedCreate', `Error creating: ${(error as Error).message}`);
    }
    throw error;
  }
}

/** Answers the first failure. */
async function removePods<T extends ReplicaOwner>(
  kind: Kind<T>,
  set: T,
  active: readonly Pod[],
  count: number,
  context: ReconcileContext,
): Promise<unknown> {
  const { client, recorder, now } = context;
  const object = withKind(kind, set);
  const chosen = podsToDelete(active, relatedPods(kind, set, active, context), count, now());
  const results = await Promise.allSettled(
    chosen.map(async ({ metadata }) => {
      const { name, namespace } = metadata;
      try {
        await client.delete(Pod, { name, namespace });
        recorder.event(object, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
      } catch (error) {
        if (isReason(error, 'NotFound')) return;
        recorder.event(object, 'Warning', 'FailedDelete', `Error deleting: ${(error as Error).message}`);
        throw error;
      }
    }),
  );
  return results.find((result) => result.status === 'rejected')?.reason;
}

/** Pods of all sets under the same owner: of one Deployment. */
function relatedPods<T extends ReplicaOwner>(
  kind: Kind<T>,
  set: T,
  own: readonly Pod[],
  { informer }: ReconcileContext,
): readonly Pod[] {
  const owner = controllerOf(set);
  if (!owner) return own;
  const siblings = informer(kind).list(set.metadata.namespace);
  const related = siblings.filter((other) => controllerOf(other)?.uid === owner.uid);
  return related.flatMap((other) => controlledBy(informer(Pod), other)).filter(isActive);
}

async function writeStatus<T extends ReplicaOwner>(
  replicas: ReplicaKind<T>,
  set: T,
  pods: readonly Pod[],
  failure: Failure | undefined,
  { client, now }: ReconcileContext,
): Promise<void> {
  const next = replicas.statusOf(set, pods, failure, now());
  if (deepEqual(next, set.status)) return;
  await client.updateStatus(replicas.kind, { ...set, status: next } as Draft<T>).catch((error: unknown) => {
    if (!isReason(error, 'NotFound')) throw error;
  });
}
