import { isReason } from '@kubernode/api';
import { ControllerRevision, StatefulSet, type StatefulSetStatus } from '@kubernode/api/apps/v1';
import { PersistentVolumeClaim, Pod } from '@kubernode/api/core/v1';
import {
  controller,
  controllerOf,
  mapped,
  owned,
  status,
  type ReconcileContext,
  type WatchContext,
} from '@kubernode/client';
import { deepEqual, labelSelectorMatcher } from '@kubernode/machinery';
import { inOrder, syncRevision, templateOf, truncateHistory } from '../history/revisions.ts';
import { claim } from '../shared/claim.ts';
import { isNamespaceTerminating, unlessTerminating } from '../shared/namespace-terminating.ts';
import { controllerReference, withKind } from '../shared/owner-reference.ts';
import { nextAvailableMs } from '../shared/pods.ts';
import { createClaims, hasStaleClaim, syncClaimOwners } from './claims.ts';
import { needsCurrentRevision, placesOf, scalePlan, updateDeletions, type Step } from './decide.ts';
import { hasIdentity, identityLabels, ordinalOf, parentAndOrdinal, podName, podSpec, revisionOf } from './identity.ts';
import { statusOf, type Revisions } from './status.ts';

const hashLabel = 'controller.kubernetes.io/hash';

/** Keeps pods that have a name, a place and volumes of their own. What happens when is decided in `decide.ts`. */
export const statefulSetController = controller({
  name: 'statefulset-controller',
  reconciles: StatefulSet,
  watches: [
    owned(Pod),
    mapped(Pod, setsThatMayAdopt),
    owned(ControllerRevision),
    mapped(PersistentVolumeClaim, setsOfClaim),
  ],
  writes: [Pod, PersistentVolumeClaim, ControllerRevision, status(StatefulSet)],
  async reconcile(set, context) {
    const common = { ownerKind: StatefulSet, owner: set, selector: set.spec.selector };
    const known = await claim({ ...common, kind: ControllerRevision }, context);
    const pods = await claim({ ...common, kind: Pod, canAdopt: (pod) => isMember(set, pod) }, context);
    const revisions = await unlessTerminating(syncRevisions(set, known, context));
    if (!revisions) return undefined;
    let error: unknown;
    if (!set.metadata.deletionTimestamp)
      error = await act(set, pods, revisions, context).catch((reason: unknown) => reason);
    const next = statusOf(set, pods, revisions, context.now());
    await writeStatus(set, next, context);
    const used = new Set([revisions.current.metadata.name, revisions.update.metadata.name, ...pods.map(revisionOf)]);
    await truncateHistory(known, used as ReadonlySet<string>, set.spec.revisionHistoryLimit ?? 10, context);
    if (error && !isNamespaceTerminating(error)) throw error;
    return { requeueAfterMs: nextAvailableMs(pods, set.spec.minReadySeconds, context.now()) };
  },
});

const isMember = ({ metadata }: StatefulSet, pod: Pod) => parentAndOrdinal(pod.metadata.name)?.parent === metadata.name;

/** An orphan may match the selector of a set that does not know it yet. */
function setsThatMayAdopt(pod: Pod, { informer }: WatchContext): string[] {
  const { name, namespace, labels } = pod.metadata;
  const parent = controllerOf(pod) ? undefined : parentAndOrdinal(name)?.parent;
  const set = parent === undefined ? undefined : informer(StatefulSet).get(parent, namespace);
  return set && labelSelectorMatcher(set.spec.selector).matches(labels) ? [`${namespace}/${parent}`] : [];
}

/** A claim that goes with its pod makes room for a new one. */
function setsOfClaim({ metadata }: PersistentVolumeClaim): string[] {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'Pod');
  const parent = owner && parentAndOrdinal(owner.name)?.parent;
  return parent ? [`${metadata.namespace}/${parent}`] : [];
}

async function syncRevisions(
  set: StatefulSet,
  known: readonly ControllerRevision[],
  context: ReconcileContext,
): Promise<Revisions> {
  const { template } = set.spec;
  const options = { ownerKind: StatefulSet, owner: set, template, hashLabel };
  const synced = await syncRevision({ ...options, collisionCount: set.status.collisionCount ?? 0 }, known, context);
  const { revision: update, collisionCount = 0 } = synced;
  const current = inOrder(known).find(({ metadata }) => metadata.name === set.status.currentRevision);
  return { current: current ?? update, update, collisionCount };
}

/** Takes the next steps; answers the first failure. */
async function act(
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: Revisions,
  context: ReconcileContext,
): Promise<unknown> {
  const places = placesOf(set, pods);
  const plan = scalePlan(set, places, context.now());
  for (const pod of places.condemned) await syncClaimOwners(set, pod, context);
  const perform = (step: Step) => take(step, set, revisions, context);
  const isOrdered = set.spec.podManagementPolicy !== 'Parallel';
  if (isOrdered) {
    for (const step of plan.steps) await perform(step);
  } else {
    const results = await Promise.allSettled(plan.steps.map(perform));
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) return failure.reason;
  }
  if (!plan.isSettled) return undefined;
  const deletions = updateDeletions(set, places, revisions.update.metadata.name, context.now());
  for (const pod of deletions) await deletePod(set, pod, context);
  return undefined;
}

async function take(step: Step, set: StatefulSet, revisions: Revisions, context: ReconcileContext): Promise<void> {
  if (step.do === 'create') {
    if (!hasStaleClaim(set, step.ordinal, context)) await createPod(set, step.ordinal, revisions, context);
  } else if (step.do === 'delete') await deletePod(set, step.pod, context);
  else await mendPod(set, step.pod, step.claimsToo, context);
}

async function createPod(set: StatefulSet, ordinal: number, revisions: Revisions, context: ReconcileContext) {
  const { client, recorder } = context;
  const object = withKind(StatefulSet, set);
  const revision = needsCurrentRevision(set, ordinal) ? revisions.current : revisions.update;
  const template = revision === revisions.update ? set.spec.template : templateOf(revision);
  const draft = podSpec(set, ordinal, template, revision.metadata.name);
  const ownerReferences = [controllerReference(StatefulSet, set)];
  const what = `Pod ${podName(set, ordinal)} in StatefulSet ${set.metadata.name}`;
  await createClaims(set, ordinal, context);
  try {
    const pod = await client.create(Pod, { ...draft, metadata: { ...draft.metadata, ownerReferences } });
    recorder.event(object, 'Normal', 'SuccessfulCreate', `create ${what} successful`);
    await syncClaimOwners(set, pod, context);
  } catch (error) {
    if (isReason(error, 'AlreadyExists') || isNamespaceTerminating(error)) throw error;
    recorder.event(object, 'Warning', 'FailedCreate', `create ${what} failed error: ${(error as Error).message}`);
    throw error;
  }
}

async function deletePod(set: StatefulSet, pod: Pod, { client, recorder }: ReconcileContext): Promise<void> {
  const { name, namespace } = pod.metadata;
  const object = withKind(StatefulSet, set);
  const what = `Pod ${name} in StatefulSet ${set.metadata.name}`;
  try {
    await client.delete(Pod, { name, namespace });
    recorder.event(object, 'Normal', 'SuccessfulDelete', `delete ${what} successful`);
  } catch (error) {
    if (isReason(error, 'NotFound')) return;
    recorder.event(object, 'Warning', 'FailedDelete', `delete ${what} failed error: ${(error as Error).message}`);
    throw error;
  }
}

/** Missing claims of a pod that waits, owners of claims, and labels that a pod lost. */
async function mendPod(set: StatefulSet, pod: Pod, claimsToo: boolean, context: ReconcileContext): Promise<void> {
  if (claimsToo) await createClaims(set, ordinalOf(pod), context);
  await syncClaimOwners(set, pod, context);
  if (hasIdentity(set, pod)) return;
  const labels = { ...pod.metadata.labels, ...identityLabels(set, ordinalOf(pod)) };
  if (deepEqual(labels, pod.metadata.labels)) return;
  await context.client.update(Pod, { ...pod, metadata: { ...pod.metadata, labels } });
}

async function writeStatus(set: StatefulSet, next: StatefulSetStatus, { client }: ReconcileContext): Promise<void> {
  if (deepEqual(next, set.status)) return;
  await client.updateStatus(StatefulSet, { ...set, status: next }).catch((error: unknown) => {
    if (!isReason(error, 'NotFound')) throw error;
  });
}
