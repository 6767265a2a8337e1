import { isReason } from '@kubernode/api';
import { ReplicaSet } from '@kubernode/api/apps/v1';
import { Pod } from '@kubernode/api/core/v1';
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
import { deepEqual, labelSelectorMatcher } from '@kubernode/machinery';
import { claim } from '../shared/claim.ts';
import { isNamespaceTerminating } from '../shared/namespace-terminating.ts';
import { controllerReference, withKind } from '../shared/owner-reference.ts';
import { availableInMs, isActive } from '../shared/pods.ts';
import { slowStart } from '../shared/slow-start.ts';
import { podsToDelete } from './rank.ts';
import { statusOf, type Failure } from './status.ts';

/** One reconciliation makes or ends at most this many pods. */
const burstMax = 500;

/** Keeps as many pods as the set asks for. */
export const replicaSetController = controller({
  name: 'replicaset-controller',
  reconciles: ReplicaSet,
  watches: [owned(Pod), mapped(Pod, setsThatMayAdopt)],
  writes: [Pod, status(ReplicaSet)],
  async reconcile(set, context) {
    const pods = await claim(
      { ownerKind: ReplicaSet, owner: set, selector: set.spec.selector, kind: Pod, canAdopt: isActive },
      context,
    );
    const outcome = set.metadata.deletionTimestamp ? { error: undefined } : await manage(set, pods, context);
    await writeStatus(set, pods, failureOf(outcome), context);
    if (outcome.error) throw outcome.error;
    return { requeueAfterMs: nextAvailableMs(set, pods, context.now()) };
  },
});

/** An orphan may match the selector of a set that does not know it yet. */
function setsThatMayAdopt(pod: Pod, context: WatchContext): string[] {
  if (controllerOf(pod)) return [];
  const { namespace, labels } = pod.metadata;
  return context
    .informer(ReplicaSet)
    .list(namespace)
    .filter(({ spec }) => labelSelectorMatcher(spec.selector).matches(labels))
    .map(({ metadata }) => `${namespace}/${metadata.name}`);
}

interface Outcome {
  readonly error: unknown;
  readonly tried?: 'create' | 'delete';
}

/** Makes what misses, or ends what is too much. */
async function manage(set: ReplicaSet, pods: readonly Pod[], context: ReconcileContext): Promise<Outcome> {
  const active = pods.filter(isActive);
  const missing = (set.spec.replicas ?? 1) - active.length;
  if (missing === 0) return { error: undefined };
  if (missing < 0)
    return { tried: 'delete', error: await removePods(set, active, Math.min(-missing, burstMax), context) };
  const { error } = await slowStart(Math.min(missing, burstMax), () => createPod(set, context));
  return { tried: 'create', error: isNamespaceTerminating(error) ? undefined : error };
}

function failureOf({ error, tried }: Outcome): Failure | undefined {
  if (!error) return undefined;
  const message = error instanceof Error ? error.message : JSON.stringify(error);
  return { reason: tried === 'delete' ? 'FailedDelete' : 'FailedCreate', message };
}

async function createPod(set: ReplicaSet, { client, recorder }: ReconcileContext): Promise<void> {
  const { metadata, spec } = set.spec.template;
  const object = withKind(ReplicaSet, set);
  try {
    const pod = await client.create(Pod, {
      metadata: {
        generateName: `${set.metadata.name}-`,
        namespace: set.metadata.namespace,
        labels: metadata.labels,
        annotations: metadata.annotations,
        finalizers: metadata.finalizers,
        ownerReferences: [controllerReference(ReplicaSet, set)],
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
async function removePods(
  set: ReplicaSet,
  active: readonly Pod[],
  count: number,
  context: ReconcileContext,
): Promise<unknown> {
  const { client, recorder, now } = context;
  const object = withKind(ReplicaSet, set);
  const chosen = podsToDelete(active, relatedPods(set, active, context), count, now());
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
function relatedPods(set: ReplicaSet, own: readonly Pod[], { informer }: ReconcileContext): readonly Pod[] {
  const owner = controllerOf(set);
  if (!owner) return own;
  const siblings = informer(ReplicaSet).list(set.metadata.namespace);
  const related = siblings.filter((other) => controllerOf(other)?.uid === owner.uid);
  return related.flatMap((other) => controlledBy(informer(Pod), other)).filter(isActive);
}

async function writeStatus(
  set: ReplicaSet,
  pods: readonly Pod[],
  failure: Failure | undefined,
  { client, now }: ReconcileContext,
): Promise<void> {
  const next = statusOf(set, pods, failure, now());
  if (deepEqual(next, set.status)) return;
  await client.updateStatus(ReplicaSet, { ...set, status: next }).catch((error: unknown) => {
    if (!isReason(error, 'NotFound')) throw error;
  });
}

/** When the next ready pod will have been so for long enough. */
function nextAvailableMs(set: ReplicaSet, pods: readonly Pod[], nowMs: number): number | undefined {
  const waits = pods
    .filter(isActive)
    .map((pod) => availableInMs(pod, set.spec.minReadySeconds ?? 0, nowMs))
    .filter((waitMs) => waitMs !== undefined && waitMs > 0);
  return waits.length > 0 ? Math.min(...(waits as number[])) : undefined;
}
