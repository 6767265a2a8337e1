import { isReason } from '@kubernode/api';
import { ControllerRevision, DaemonSet } from '@kubernode/api/apps/v1';
import { Node, Pod } from '@kubernode/api/core/v1';
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
import { syncRevision, truncateHistory } from '../history/revisions.ts';
import { claim } from '../shared/claim.ts';
import { FailureBackoff } from '../shared/failure-backoff.ts';
import { isNamespaceTerminating, unlessTerminating } from '../shared/namespace-terminating.ts';
import { withKind } from '../shared/owner-reference.ts';
import { perRun } from '../shared/per-run.ts';
import { nextAvailableMs } from '../shared/pods.ts';
import { slowStart } from '../shared/slow-start.ts';
import { managePods, nothing, updatePods, type Changes, type Situation } from './decide.ts';
import { hashLabel, podFor } from './pods.ts';
import { statusOf } from './status.ts';

/** One reconciliation makes or ends at most this many pods. */
const burstMax = 250;
/** How long the next pod that fails on a node is left before it is replaced. */
const failures = perRun(() => new FailureBackoff({ initialMs: 1000, maxMs: 15 * 60_000 }));

/** Keeps one pod on each node that the template fits. Who gets one is decided in `decide.ts`. */
export const daemonSetController = controller({
  name: 'daemonset-controller',
  reconciles: DaemonSet,
  watches: [owned(Pod), mapped(Pod, setsThatMayAdopt), owned(ControllerRevision), mapped(Node, setsOfNode)],
  writes: [Pod, ControllerRevision, DaemonSet, status(DaemonSet)],
  async reconcile(set, context) {
    const common = { ownerKind: DaemonSet, owner: set, selector: set.spec.selector };
    const pods = await claim({ ...common, kind: Pod }, context);
    const revisions = await claim({ ...common, kind: ControllerRevision }, context);
    if (set.metadata.deletionTimestamp) return undefined;
    const { template } = set.spec;
    const { collisionCount } = set.status;
    const options = { ownerKind: DaemonSet, owner: set, template, hashLabel, collisionCount };
    const synced = await unlessTerminating(syncRevision(options, revisions, context));
    if (!synced) return undefined;
    const hash = synced.revision.metadata.labels?.[hashLabel] ?? '';
    const current = { ...set, status: { ...set.status, ...collided(synced.collisionCount) } };
    const nodes = context.informer(Node).list();
    const situation = { set: current, nodes, pods, hash, nowMs: context.now() };
    const outcome = await act(situation, context);
    await writeStatus(set, situation, context);
    const used = new Set([synced.revision.metadata.name, ...pods.map((pod) => revisionNameOf(set, pod))]);
    await truncateHistory(revisions, used, set.spec.revisionHistoryLimit ?? 10, context);
    if (outcome.error) throw outcome.error;
    const availableMs = nextAvailableMs(pods, set.spec.minReadySeconds, context.now());
    const waits = [availableMs, outcome.requeueAfterMs].filter((waitMs) => waitMs !== undefined);
    return waits.length > 0 ? { requeueAfterMs: Math.min(...waits) } : undefined;
  },
});

const collided = (collisionCount: number | undefined) => (collisionCount === undefined ? {} : { collisionCount });

const revisionNameOf = (set: DaemonSet, { metadata }: Pod) => `${set.metadata.name}-${metadata.labels?.[hashLabel]}`;

/** An orphan may match the selector of a set that does not know it yet. */
function setsThatMayAdopt(pod: Pod, { informer }: WatchContext): string[] {
  if (controllerOf(pod)) return [];
  const { namespace, labels } = pod.metadata;
  const all = informer(DaemonSet).list(namespace);
  const matching = all.filter(({ spec }) => labelSelectorMatcher(spec.selector).matches(labels));
  return matching.map(({ metadata }) => `${namespace}/${metadata.name}`);
}

/** What of each node decides where daemons run, as seen last: heartbeats change nothing. */
const seenNodes = perRun(() => new Map<string, string>());

/** A node that comes, goes, or changes its labels or taints, concerns all sets. */
function setsOfNode(node: Node, context: WatchContext): string[] {
  const { name } = node.metadata;
  const seen = seenNodes(context);
  const present = context.informer(Node).get(name);
  const before = seen.get(name);
  const now = present && JSON.stringify([present.metadata.uid, present.metadata.labels, present.spec.taints]);
  if (before === now) return [];
  if (now === undefined) seen.delete(name);
  else seen.set(name, now);
  const all = context.informer(DaemonSet).list();
  return all.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}

interface Outcome {
  readonly error?: unknown;
  readonly requeueAfterMs?: number | undefined;
}

/** First the right pods on the right nodes; only then those of earlier templates are replaced. */
async function act(situation: Situation, context: ReconcileContext): Promise<Outcome> {
  const managed = managePods(situation);
  const { due, waitMs } = withBackoff(situation.set, managed, context);
  const isQuiet = due.create.length === 0 && due.remove.length === 0;
  const changes = isQuiet ? updatePods(situation) : due;
  const error = changes === nothing ? undefined : await apply(situation, changes, context);
  return { error, requeueAfterMs: waitMs };
}

/** A pod that failed stays for a while, longer with each failure, so that a broken daemon does not spin. */
function withBackoff(set: DaemonSet, changes: Changes, context: ReconcileContext) {
  const backoff = failures(context);
  const nowMs = context.now();
  let waitMs: number | undefined;
  const remove = changes.remove.filter((pod) => {
    if (pod.status.phase !== 'Failed') return true;
    const key = `${set.metadata.uid}/${pod.spec.nodeName}`;
    const leftMs = backoff.remainingMs(key, nowMs);
    if (leftMs > 0) waitMs = Math.min(waitMs ?? leftMs, leftMs);
    else backoff.failed(key, nowMs);
    return leftMs <= 0;
  });
  return { due: { create: changes.create, remove }, waitMs };
}

async function apply(
  { set, hash }: Situation,
  { create, remove }: Changes,
  context: ReconcileContext,
): Promise<unknown> {
  const nodes = create.slice(0, burstMax);
  const { error } = await slowStart(nodes.length, (index) => createPod(set, nodes[index] ?? '', hash, context));
  const results = await Promise.allSettled(remove.slice(0, burstMax).map((pod) => removePod(set, pod, context)));
  const failed = results.find((result) => result.status === 'rejected')?.reason;
  return isNamespaceTerminating(error) ? failed : (error ?? failed);
}

async function createPod(set: DaemonSet, nodeName: string, hash: string, { client, recorder }: ReconcileContext) {
  const object = withKind(DaemonSet, set);
  try {
    const pod = await client.create(Pod, podFor(set, nodeName, hash));
    recorder.event(object, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
  } catch (error) {
    if (!isNamespaceTerminating(error)) {
      recorder.event(object, 'Warning', 'FailedCreate', `Error creating: ${(error as Error).message}`);
    }
    throw error;
  }
}

async function removePod(set: DaemonSet, pod: Pod, { client, recorder }: ReconcileContext): Promise<void> {
  const { name, namespace } = pod.metadata;
  const object = withKind(DaemonSet, set);
  const where = `daemon pod ${namespace}/${name} on node ${pod.spec.nodeName}`;
  if (pod.status.phase === 'Failed') {
    recorder.event(object, 'Warning', 'FailedDaemonPod', `Found failed ${where}, will try to kill it`);
  } else if (pod.status.phase === 'Succeeded') {
    recorder.event(object, 'Normal', 'SucceededDaemonPod', `Found succeeded ${where}, will try to delete it`);
  }
  try {
    await client.delete(Pod, { name, namespace });
    recorder.event(object, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
  } catch (error) {
    if (isReason(error, 'NotFound')) return;
    recorder.event(object, 'Warning', 'FailedDelete', `Error deleting: ${(error as Error).message}`);
    throw error;
  }
}

async function writeStatus(set: DaemonSet, situation: Situation, { client }: ReconcileContext): Promise<void> {
  const next = statusOf(situation);
  if (deepEqual(next, set.status)) return;
  await client.updateStatus(DaemonSet, { ...set, status: next }).catch((error: unknown) => {
    if (!isReason(error, 'NotFound')) throw error;
  });
}
