import type { KubernetesObject } from '../kind.ts';
import type { PersistentVolumeClaim, Pod, ResourceQuota, Service } from '../generated/types/core/v1.ts';
import { compareQuantities } from '@kubernode/machinery';
import { podResources, type ResourceList } from './resources.ts';

/** Resources that quota counts under a name of its own, besides `count/…`. */
const plainCounts = new Set(['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas', 'services']);

/** What one object takes of a quota (pkg/quota/v1, evaluators), by the names that a quota's `hard` may have. */
export function quotaUsageOf(group: string, resource: string, object: KubernetesObject): ResourceList {
  const count = { [`count/${group ? `${resource}.${group}` : resource}`]: '1' };
  if (group !== '') return count;
  if (resource === 'pods') return { ...count, ...podUsage(object as Pod) };
  if (resource === 'services') return { ...count, ...serviceUsage(object as Service) };
  if (resource === 'persistentvolumeclaims') return { ...count, ...claimUsage(object as PersistentVolumeClaim) };
  return plainCounts.has(resource) ? { ...count, [resource]: '1' } : count;
}

const isFinished = (pod: Pod): boolean => pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';

/** Finished pods count as objects only. */
function podUsage(pod: Pod): ResourceList {
  if (isFinished(pod)) return {};
  const usage: Record<string, string | number> = { pods: '1' };
  for (const [name, amount] of Object.entries(podResources(pod, 'requests'))) {
    usage[`requests.${name}`] = amount;
    if (isComputed(name)) usage[name] = amount;
  }
  for (const [name, amount] of Object.entries(podResources(pod, 'limits')))
    if (isComputed(name)) usage[`limits.${name}`] = amount;
  return usage;
}

const isComputed = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-');

function serviceUsage({ spec }: Service): ResourceList {
  const usage: Record<string, string> = { services: '1' };
  const ports = spec?.ports ?? [];
  if (spec?.type === 'NodePort') usage['services.nodeports'] = String(ports.length);
  if (spec?.type === 'LoadBalancer') {
    usage['services.loadbalancers'] = '1';
    const allocated = spec.allocateLoadBalancerNodePorts === false ? ports.filter((port) => port.nodePort) : ports;
    usage['services.nodeports'] = String(allocated.length);
  }
  return usage;
}

function claimUsage(claim: PersistentVolumeClaim): ResourceList {
  const usage: Record<string, string | number> = { persistentvolumeclaims: '1' };
  const requested = claim.spec.resources?.requests?.['storage'];
  const allocated = claim.status?.allocatedResources?.['storage'];
  const isAllocatedMore =
    allocated !== undefined && requested !== undefined && compareQuantities(allocated, requested) > 0;
  const storage = isAllocatedMore ? allocated : requested;
  if (storage !== undefined) usage['requests.storage'] = storage;
  const storageClass = claim.spec.storageClassName;
  if (storageClass) {
    usage[`${storageClass}.storageclass.storage.k8s.io/persistentvolumeclaims`] = '1';
    if (storage !== undefined) usage[`${storageClass}.storageclass.storage.k8s.io/requests.storage`] = storage;
  }
  return usage;
}

/** Whether a quota's scopes take the object in. */
export function quotaScopesMatch(quota: ResourceQuota, resource: string, object: KubernetesObject): boolean {
  const selectors = [
    ...(quota.spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists', values: undefined })),
    ...(quota.spec?.scopeSelector?.matchExpressions ?? []),
  ];
  if (selectors.length === 0) return true;
  if (resource === 'persistentvolumeclaims') return selectors.every((s) => attributesClassMatches(s, object));
  return resource === 'pods' && selectors.every((selector) => podMatches(selector, object as Pod));
}

interface Selector {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

function podMatches(selector: Selector, pod: Pod): boolean {
  switch (selector.scopeName) {
    case 'Terminating':
      return typeof pod.spec.activeDeadlineSeconds === 'number';
    case 'NotTerminating':
      return typeof pod.spec.activeDeadlineSeconds !== 'number';
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return valueMatches(selector, pod.spec.priorityClassName ?? '');
    case 'CrossNamespacePodAffinity':
      return usesOtherNamespaces(pod);
    default:
      return false;
  }
}

function attributesClassMatches(selector: Selector, object: KubernetesObject): boolean {
  const name = (object as PersistentVolumeClaim).spec.volumeAttributesClassName ?? '';
  return selector.scopeName === 'VolumeAttributesClass' && valueMatches(selector, name);
}

function valueMatches({ operator, values = [] }: Selector, value: string): boolean {
  if (operator === 'Exists') return value !== '';
  if (operator === 'DoesNotExist') return value === '';
  return values.includes(value) === (operator === 'In');
}

const isBestEffort = (pod: Pod): boolean =>
  [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].every(
    ({ resources }) => !hasAny(resources?.requests) && !hasAny(resources?.limits),
  ) && !hasAny(pod.spec.resources?.requests);

const hasAny = (list: ResourceList | undefined): boolean =>
  Object.entries(list ?? {}).some(([name, amount]) => isComputed(name) && compareQuantities(amount, 0) !== 0);

function usesOtherNamespaces({ spec: { affinity } }: Pod): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity]
    .flatMap((terms) => [
      ...(terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => term.podAffinityTerm),
    ])
    .some((term) => (term.namespaces?.length ?? 0) > 0 || term.namespaceSelector !== undefined);
}
