import { isReason } from '@kubernode/api';
import { Deployment, ReplicaSet, type DeploymentStatus } from '@kubernode/api/apps/v1';
import { Pod } from '@kubernode/api/core/v1';
import {
  controlledBy,
  controller,
  controllerOf,
  mapped,
  owned,
  status,
  type ReconcileContext,
} from '@kubernode/client';
import { deepEqual, labelSelectorMatcher } from '@kubernode/machinery';
import { claim } from '../shared/claim.ts';
import { withKind } from '../shared/owner-reference.ts';
import { isFinished } from '../shared/pods.ts';
import { desiredAnnotation, maxAnnotation, revisionOf, sizeAnnotations } from './annotations.ts';
import { beyondHistory, endOld, isScaling, rollingStep, scaleStep, type Scale, type Sets } from './decide.ts';
import { syncNewReplicaSet } from './new-replica-set.ts';
import { byAge, findNew, sizeOf } from './replica-sets.ts';
import { checkAgainMs, hasDeadline, isComplete, numbersOf, rolloutStatus, withCondition } from './status.ts';

/** Moves pods from one template to the next. What is decided where: `decide.ts` (sizes), `status.ts` (conditions). */
export const deploymentController = controller({
  name: 'deployment-controller',
  reconciles: Deployment,
  watches: [owned(ReplicaSet), mapped(ReplicaSet, deploymentsThatMayAdopt), mapped(Pod, recreatingDeployment)],
  writes: [ReplicaSet, Deployment, status(Deployment)],
  async reconcile(deployment, context) {
    const sets = await claim(
      { ownerKind: Deployment, owner: deployment, selector: deployment.spec.selector, kind: ReplicaSet },
      context,
    );
    if (deployment.metadata.deletionTimestamp) return writeNumbers(deployment, split(deployment, sets), context);
    const current = await notePause(deployment, context);
    if (current.spec.paused || isScaling(current, split(current, sets))) return scale(current, sets, context);
    return current.spec.strategy.type === 'Recreate' ? recreate(current, sets, context) : roll(current, sets, context);
  },
});

function split(deployment: Deployment, all: readonly ReplicaSet[]): Sets {
  const fresh = findNew(deployment, all);
  return { fresh, old: all.filter((set) => set !== fresh).toSorted(byAge) };
}

/** Sizes follow the wanted number; no new set is made. */
async function scale(deployment: Deployment, all: readonly ReplicaSet[], context: ReconcileContext): Promise<void> {
  const before = split(deployment, all);
  const { deployment: current, fresh } = await syncNewReplicaSet(deployment, before.fresh, before.old, false, context);
  const sets = { fresh, old: before.old };
  const scaled = await applyScales(current, scaleStep(current, sets), sets, context);
  if (current.spec.paused) await forgetHistory(current, scaled.old, context);
  await writeNumbers(current, scaled, context);
}

/** New pods while old ones leave, within maxSurge and maxUnavailable. */
async function roll(deployment: Deployment, all: readonly ReplicaSet[], context: ReconcileContext) {
  const before = split(deployment, all);
  const { deployment: current, fresh } = await syncNewReplicaSet(deployment, before.fresh, before.old, true, context);
  if (!fresh) return undefined;
  const scaled = await applyScales(
    current,
    rollingStep(current, { fresh, old: before.old }),
    { fresh, old: before.old },
    context,
  );
  return finish(current, scaled, context);
}

/** All old pods go before the first new one comes. */
async function recreate(deployment: Deployment, all: readonly ReplicaSet[], context: ReconcileContext) {
  const before = split(deployment, all);
  const { deployment: current, fresh } = await syncNewReplicaSet(deployment, before.fresh, before.old, false, context);
  const ending = endOld(before.old);
  const sets = await applyScales(current, ending, { fresh, old: before.old }, context);
  if (ending.length > 0 || hasRunningPods(before.old, context)) return finish(current, sets, context);
  const made = await syncNewReplicaSet(current, fresh, sets.old, true, context);
  if (!made.fresh) return undefined;
  const wanted = made.deployment.spec.replicas ?? 1;
  const grow = sizeOf(made.fresh) === wanted ? [] : [{ set: made.fresh, to: wanted }];
  return finish(
    made.deployment,
    await applyScales(made.deployment, grow, { fresh: made.fresh, old: sets.old }, context),
    context,
  );
}

function hasRunningPods(old: readonly ReplicaSet[], { informer }: ReconcileContext): boolean {
  return old.some((set) => controlledBy(informer(Pod), set).some((pod) => !isFinished(pod)));
}

async function finish(deployment: Deployment, sets: Sets, context: ReconcileContext) {
  if (isComplete(deployment, deployment.status)) await forgetHistory(deployment, sets.old, context);
  const next = rolloutStatus(deployment, sets, context.now());
  await writeStatus(deployment, next, context);
  return { requeueAfterMs: checkAgainMs(deployment, next, context.now()) };
}

async function forgetHistory(
  deployment: Deployment,
  old: readonly ReplicaSet[],
  { client }: ReconcileContext,
): Promise<void> {
  for (const { metadata } of beyondHistory(deployment, old, revisionOf)) {
    const { name, namespace } = metadata;
    await client.delete(ReplicaSet, { name, namespace }).catch((error: unknown) => {
      if (!isReason(error, 'NotFound')) throw error;
    });
  }
}

/**
 * Writes new sizes, and with them what the deployment wants; answers the sets as they are now. A set that keeps its
 * size is written only where it took part in the decision (scaling in proportion).
 */
async function applyScales(
  deployment: Deployment,
  scales: readonly Scale[],
  sets: Sets,
  context: ReconcileContext,
): Promise<Sets> {
  const sizes = new Map(scales.map(({ set, to }) => [set, to]));
  const resize = async (set: ReplicaSet) => {
    const to = sizes.get(set);
    const isDue = to !== undefined && (to !== sizeOf(set) || hasOldSize(deployment, set));
    return isDue ? writeSize(deployment, set, to, context) : set;
  };
  const fresh = sets.fresh && (await resize(sets.fresh));
  return { fresh, old: await Promise.all(sets.old.map(resize)) };
}

function hasOldSize(deployment: Deployment, { metadata }: ReplicaSet): boolean {
  const wanted = sizeAnnotations(deployment);
  return [desiredAnnotation, maxAnnotation].some((key) => metadata.annotations?.[key] !== wanted[key]);
}

async function writeSize(
  deployment: Deployment,
  set: ReplicaSet,
  to: number,
  { client, recorder }: ReconcileContext,
): Promise<ReplicaSet> {
  const annotations = { ...set.metadata.annotations, ...sizeAnnotations(deployment) };
  const metadata = { ...set.metadata, annotations };
  const written = await client.update(ReplicaSet, { ...set, metadata, spec: { ...set.spec, replicas: to } });
  const from = sizeOf(set);
  if (to !== from) {
    const message = `Scaled ${to > from ? 'up' : 'down'} replica set ${set.metadata.name} from ${from} to ${to}`;
    recorder.event(withKind(Deployment, deployment), 'Normal', 'ScalingReplicaSet', message);
  }
  return written;
}

/** A pause stops the clock of the progress deadline; that is said in condition Progressing. */
async function notePause(deployment: Deployment, { client, now }: ReconcileContext): Promise<Deployment> {
  if (!hasDeadline(deployment)) return deployment;
  const { conditions = [] } = deployment.status;
  const current = conditions.find(({ type }) => type === 'Progressing');
  if (current?.reason === 'ProgressDeadlineExceeded') return deployment;
  const isPaused = deployment.spec.paused === true;
  const isSaid = current?.reason === 'DeploymentPaused';
  if (isPaused === isSaid) return deployment;
  const next = withCondition(
    conditions,
    isPaused
      ? { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' }
      : { type: 'Progressing', status: 'Unknown', reason: 'DeploymentResumed', message: 'Deployment is resumed' },
    now(),
  );
  return client.updateStatus(Deployment, { ...deployment, status: { ...deployment.status, conditions: next } });
}

async function writeNumbers(deployment: Deployment, sets: Sets, context: ReconcileContext): Promise<void> {
  await writeStatus(deployment, numbersOf(deployment, sets, context.now()), context);
}

async function writeStatus(
  deployment: Deployment,
  next: DeploymentStatus,
  { client }: ReconcileContext,
): Promise<void> {
  if (deepEqual(next, deployment.status)) return;
  await client.updateStatus(Deployment, { ...deployment, status: next }).catch((error: unknown) => {
    if (!isReason(error, 'NotFound')) throw error;
  });
}

/** A set that nobody controls may match a deployment that does not know it yet. */
function deploymentsThatMayAdopt(set: ReplicaSet, { informer }: Pick<ReconcileContext, 'informer'>): string[] {
  if (controllerOf(set)) return [];
  const { namespace, labels } = set.metadata;
  const all = informer(Deployment).list(namespace);
  const matching = all.filter(({ spec }) => labelSelectorMatcher(spec.selector).matches(labels));
  return matching.map(({ metadata }) => `${namespace}/${metadata.name}`);
}

/** Recreate waits for the last old pod: a pod that ends or goes makes its deployment due. */
function recreatingDeployment(pod: Pod, { informer }: Pick<ReconcileContext, 'informer'>): string[] {
  const { namespace } = pod.metadata;
  const set = controllerOf(pod);
  if (set?.kind !== 'ReplicaSet') return [];
  const owner = controllerOf(informer(ReplicaSet).get(set.name, namespace) ?? pod);
  const deployment = owner?.kind === 'Deployment' ? informer(Deployment).get(owner.name, namespace) : undefined;
  return deployment?.spec.strategy.type === 'Recreate' ? [`${namespace}/${deployment.metadata.name}`] : [];
}
