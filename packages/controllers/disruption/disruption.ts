import { Deployment, ReplicaSet, StatefulSet } from '@kubernode/api/apps/v1';
import { Pod, ReplicationController } from '@kubernode/api/core/v1';
import { PodDisruptionBudget, type PodDisruptionBudgetStatus } from '@kubernode/api/policy/v1';
import { controller, keyOf, mapped, status, type ReconcileContext, type WatchContext } from '@kubernode/client';
import { deepEqual, formatLabelSelector, labelSelectorMatcher } from '@kubernode/machinery';
import { withKind } from '../shared/owner-reference.ts';
import { expectedScale } from './scale.ts';
import { disruptedPods, expectation, failedStatus, needsScale, statusOf } from './status.ts';

/** Keeps count for each budget of how many of its pods may be evicted. */
export const disruptionController = controller<PodDisruptionBudget>({
  name: 'disruption-controller',
  reconciles: PodDisruptionBudget,
  watches: [
    mapped(Pod, budgetsOf),
    // How many pods there should be may change before the pods do.
    ...[ReplicaSet, StatefulSet, ReplicationController, Deployment].map((kind) => mapped(kind, budgetsIn)),
  ],
  writes: [status(PodDisruptionBudget)],
  async reconcile(budget, context) {
    try {
      return await bringAbout(budget, context);
    } catch (error) {
      await writeStatus(budget, failedStatus(budget, (error as Error).message, context.now()), context);
      throw error;
    }
  },
});

function budgetsOf({ metadata }: Pod, { informer }: WatchContext): string[] {
  return informer(PodDisruptionBudget)
    .list(metadata.namespace)
    .filter(({ spec }) => labelSelectorMatcher(spec.selector).matches(metadata.labels))
    .map(keyOf);
}

function budgetsIn({ metadata }: { metadata: { namespace?: string | undefined } }, { informer }: WatchContext) {
  return informer(PodDisruptionBudget).list(metadata.namespace).filter(needsScale).map(keyOf);
}

async function bringAbout(budget: PodDisruptionBudget, context: ReconcileContext) {
  const { informer, namespace, now, recorder } = context;
  const object = withKind(PodDisruptionBudget, budget);
  const matcher = labelSelectorMatcher(budget.spec.selector);
  const pods = informer(Pod)
    .list(namespace)
    .filter(({ metadata }) => matcher.matches(metadata.labels));
  if (pods.length === 0) recorder.event(object, 'Normal', 'NoPods', 'No matching pods found');
  const replicas = needsScale(budget) ? await scaleFor(budget, pods, context) : 0;
  const disrupted = disruptedPods(budget, pods, now());
  for (const pod of disrupted.expired) {
    const message = `Pod was expected by PDB ${namespace}/${budget.metadata.name} to be deleted but it wasn't`;
    recorder.event(withKind(Pod, pod), 'Warning', 'NotDeleted', message);
  }
  const wanted = statusOf(budget, pods, expectation(budget, pods, replicas), disrupted.pods, now());
  await writeStatus(budget, wanted, context);
  return disrupted.nextMs === undefined ? undefined : { requeueAfterMs: disrupted.nextMs - now() + 1 };
}

async function scaleFor(budget: PodDisruptionBudget, pods: readonly Pod[], context: ReconcileContext): Promise<number> {
  const object = withKind(PodDisruptionBudget, budget);
  try {
    const { replicas, unmanaged } = await expectedScale(pods, context);
    if (unmanaged.length > 0) {
      const message =
        `Pods selected by this PodDisruptionBudget (selector: ${formatLabelSelector(budget.spec.selector)}) were found ` +
        `to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in ` +
        `undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
      context.recorder.event(object, 'Warning', 'UnmanagedPods', message);
    }
    return replicas;
  } catch (error) {
    const message = `Failed to calculate the number of expected pods: ${(error as Error).message}`;
    context.recorder.event(object, 'Warning', 'CalculateExpectedPodCountFailed', message);
    throw error;
  }
}

async function writeStatus(
  budget: PodDisruptionBudget,
  wanted: PodDisruptionBudgetStatus,
  { client }: ReconcileContext,
): Promise<void> {
  if (deepEqual(budget.status, wanted)) return;
  await client.updateStatus(PodDisruptionBudget, { ...budget, status: wanted });
}
