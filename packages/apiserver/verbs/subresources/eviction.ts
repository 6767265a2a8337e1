import { isReason, shapeOf, StatusError } from '@kubernode/api';
import type { Pod } from '@kubernode/api/core/v1';
import type { Condition } from '@kubernode/api/meta/v1';
import type { Eviction, PodDisruptionBudget } from '@kubernode/api/policy/v1';
import { formatTime, labelSelectorMatcher } from '@kubernode/machinery';
import type { ResourceCall, Verb } from '../../context.ts';
import type { ApiObject } from '../../storage/encoding.ts';
import type { StoredObject } from '../../storage/stored-object.ts';
import { admitMutating, admitValidating } from '../writes/admit.ts';
import type { DeleteOptions } from '../options/delete-options.ts';
import { checkPreconditions, deleteObject } from '../writes/deletion.ts';
import { existing, keyOf } from '../get.ts';
import { ownAsCreated, ownFields } from '../writes/managed-fields.ts';
import { readObject } from '../writes/input.ts';
import { dryRunCauses, writeOptions } from '../options/options.ts';
import { formatOf, respondValue } from '../respond.ts';

/** Clients may still say policy/v1beta1: the fields are the same, so the version of the body is not asked. */
const expected = { apiVersion: '', kind: 'Eviction', shape: shapeOf('policy/v1.Eviction') };

/** More pods than this waiting to go make a budget refuse until the controller has counted again. */
const disruptedPodsMax = 2_000;

/** POST on a pod's `eviction`: a deletion that the pod's disruption budget may refuse (429). */
export const evict: Verb = async (call) => {
  const format = formatOf(call);
  const options = writeOptions(call.request.query, 'CreateOptions');
  const eviction = (await readObject(call, expected, options)) as unknown as Eviction;
  const { name } = call.route.attributes;
  if (eviction.metadata.name !== name) {
    throw StatusError.badRequest(
      `name in URL does not match name in Eviction object: ${name} and ${eviction.metadata.name}`,
    );
  }
  eviction.metadata.namespace ??= call.route.attributes.namespace;
  const object: ApiObject = Object.assign(eviction as unknown as ApiObject, { apiVersion: 'policy/v1' });
  ownAsCreated(call, object, { ...expected, apiVersion: 'policy/v1' }, options);
  const admitted = { operation: 'CREATE', object, oldObject: undefined, dryRun: options.dryRun } as const;
  await admitMutating(call, admitted);
  await admitValidating(call, admitted);
  const asked = (eviction.deleteOptions ?? {}) as Partial<DeleteOptions> & { dryRun?: string[] };
  const causes = dryRunCauses(asked.dryRun ?? []);
  if (causes.length > 0) throw StatusError.invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', causes);
  const dryRun = options.dryRun || (asked.dryRun?.length ?? 0) > 0;
  await evictPod(call, { ...asked, dryRun });
  return respondValue(
    call,
    { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
    format,
    201,
  );
};

/** A pod that goes without its budget's leave, as it does not run yet or is not ready, must be so still when it goes. */
async function evictPod(call: ResourceCall, options: DeleteOptions): Promise<void> {
  const { object, revision } = existing(call);
  const pod = object as unknown as Pod;
  const isFree = goesWithoutAsking(pod);
  const budget = isFree ? undefined : await askBudget(call, pod, options.dryRun);
  if (!(isFree ? mayYetRun(pod) : budget)) return deleteDisrupted(call, options);
  try {
    const preconditions = { resourceVersion: String(revision), ...options.preconditions };
    await deleteDisrupted(call, { ...options, preconditions });
  } catch (error) {
    const isOwn = options.preconditions?.resourceVersion === undefined;
    if (!isOwn || !isReason(error, 'Conflict') || existing(call).revision === revision) throw error;
    if (budget) throw stillProcessed(budget);
    await evictPod(call, options);
  }
}

/** Tells by a condition why the pod goes (KEP-3329), and deletes it. */
async function deleteDisrupted(call: ResourceCall, options: DeleteOptions): Promise<void> {
  const { name } = call.route.attributes;
  const marked = options.dryRun ? undefined : await markDisrupted(call, options);
  const { preconditions } = options;
  const isOfVersion = marked && preconditions?.resourceVersion !== undefined;
  const current = isOfVersion ? { ...preconditions, resourceVersion: String(marked.revision) } : preconditions;
  await deleteObject(call, keyOf(call), name, { ...options, preconditions: current });
}

function markDisrupted(call: ResourceCall, options: DeleteOptions): Promise<StoredObject | undefined> {
  const type = 'DisruptionTarget';
  return call.server.writer.update(call.resource, keyOf(call), call.request, (current) => {
    if (!current) return 'unchanged';
    checkPreconditions(call, call.route.attributes.name, options, current);
    const object = structuredClone(current.object) as unknown as Pod;
    const conditions = object.status.conditions ?? [];
    if (conditions.some((condition) => condition.type === type && condition.status === 'True')) return 'unchanged';
    const target = {
      type,
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
      lastTransitionTime: formatTime(call.server.clock.now()),
    };
    object.status.conditions = [...conditions.filter((condition) => condition.type !== type), target];
    return { put: object as unknown as ApiObject };
  });
}

/** Pods that do not run do not count. */
function goesWithoutAsking({ status, metadata }: Pod): boolean {
  return (
    status.phase === 'Succeeded' ||
    status.phase === 'Failed' ||
    status.phase === 'Pending' ||
    Boolean(metadata.deletionTimestamp)
  );
}

/** What does not run yet may. */
const mayYetRun = ({ status, metadata }: Pod): boolean => status.phase === 'Pending' && !metadata.deletionTimestamp;

/**
 * Takes one disruption from the pod's budget. Throws TooManyRequests where there is none left. Answers the budget's name
 * where none is taken, as the pod is not healthy.
 */
async function askBudget(call: ResourceCall, pod: Pod, dryRun: boolean): Promise<string | undefined> {
  const resource = call.server.registry.find('policy', 'v1', 'poddisruptionbudgets');
  if (!resource) return undefined;
  const { name, namespace } = pod.metadata;
  const budgets: StoredObject[] = [];
  for (const candidate of resource.cache.objects.from(`${resource.cache.prefix}${namespace}/`)) {
    const { spec } = candidate.object as unknown as PodDisruptionBudget;
    if (labelSelectorMatcher(spec.selector).matches(pod.metadata.labels)) budgets.push(candidate);
  }
  const [budget] = budgets;
  if (!budget) return undefined;
  if (budgets.length > 1) {
    // Upstream's answer names no reason.
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
  }
  if (mayGoUnhealthy(pod, budget.object as unknown as PodDisruptionBudget)) return budget.name;
  await call.server.writer.update(resource, budget.key, call.request, (current) => {
    if (!current) return 'unchanged';
    const object = structuredClone(current.object) as unknown as PodDisruptionBudget;
    takeDisruption(object, name, formatTime(call.server.clock.now()));
    if (dryRun) return 'unchanged';
    const put = object as unknown as ApiObject;
    ownFields({ ...call, resource }, put, current.object, 'kube-apiserver', 'status');
    return { put };
  });
  return undefined;
}

/** A pod that is not ready protects nothing: with AlwaysAllow it always goes, else where the budget is met. */
function mayGoUnhealthy({ status }: Pod, { spec, status: budget }: PodDisruptionBudget): boolean {
  if (status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True')) return false;
  if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  return budget.currentHealthy >= budget.desiredHealthy && budget.desiredHealthy > 0;
}

function takeDisruption({ metadata, status }: PodDisruptionBudget, podName: string, nowTime: string): void {
  const { name } = metadata;
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    throw stillProcessed(name);
  }
  if (status.disruptionsAllowed <= 0) {
    const { desiredHealthy, currentHealthy } = status;
    throw refused(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    );
  }
  if (Object.keys(status.disruptedPods ?? {}).length > disruptedPodsMax) {
    throw refused(`The disruption budget ${name} has too many pods that wait to go`);
  }
  status.disruptionsAllowed -= 1;
  if (status.disruptionsAllowed === 0) status.conditions = withNoneAllowed(status, nowTime);
  status.disruptedPods = { ...status.disruptedPods, [podName]: nowTime };
}

/** The last disruption is taken: the budget says so at once, not only when its controller has counted again. */
function withNoneAllowed(status: PodDisruptionBudget['status'], nowTime: string): Condition[] {
  const conditions = [...(status.conditions ?? [])];
  const index = conditions.findIndex(({ type }) => type === 'DisruptionAllowed');
  const old = conditions[index];
  const condition: Condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    ...(status.observedGeneration ? { observedGeneration: status.observedGeneration } : {}),
    lastTransitionTime: old?.status === 'False' ? old.lastTransitionTime : nowTime,
    reason: 'InsufficientPods',
    message: '',
  };
  if (old) conditions[index] = condition;
  else conditions.push(condition);
  return conditions;
}

const stillProcessed = (name: string): StatusError =>
  refused(`The disruption budget ${name} is still being processed by the server.`, 10);

function refused(why: string, retryAfterSeconds?: number): StatusError {
  const causes = [{ reason: 'DisruptionBudget', message: why }];
  const message = "Cannot evict pod as it would violate the pod's disruption budget.";
  return StatusError.of('TooManyRequests', message, retryAfterSeconds ? { causes, retryAfterSeconds } : { causes });
}
