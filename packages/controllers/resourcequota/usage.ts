import type { KubernetesObject } from '@kubernode/api';
import type { ResourceQuota } from '@kubernode/api/core/v1';
import { quotaScopesMatch, quotaUsageOf } from '@kubernode/api';
import { addQuantities } from '@kubernode/machinery';

/** A resource that a quota counts: `pods`, or `deployments` of the group `apps`. */
export interface CountedResource {
  readonly group: string;
  readonly resource: string;
}

const storageClassSuffix = '.storageclass.storage.k8s.io/';

/** Of which resources the objects have to be looked at for one of the names in a quota's `hard`. */
export function countedResource(name: string): CountedResource {
  if (name.startsWith('count/')) {
    const [resource = '', ...group] = name.slice('count/'.length).split('.');
    return { group: group.join('.'), resource };
  }
  if (name === 'services' || name.startsWith('services.')) return { group: '', resource: 'services' };
  const isStorage = name === 'requests.storage' || name.includes(storageClassSuffix);
  if (isStorage || name === 'persistentvolumeclaims') return { group: '', resource: 'persistentvolumeclaims' };
  const isPlain = ['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas'].includes(name);
  return { group: '', resource: isPlain ? name : 'pods' };
}

/** The resources that a quota is about, each once. */
export function countedResources(hard: Readonly<Record<string, unknown>>): CountedResource[] {
  const all = Object.keys(hard).map((name) => countedResource(name));
  return [...new Map(all.map((one) => [`${one.resource}.${one.group}`, one])).values()];
}

/** What is used of each name in a quota's `hard`, counted anew. */
export function usedOf(
  quota: ResourceQuota,
  objectsOf: (resource: CountedResource) => readonly KubernetesObject[],
): Record<string, string> {
  const hard = quota.spec.hard ?? {};
  const used: Record<string, string> = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
  for (const resource of countedResources(hard)) {
    for (const object of objectsOf(resource)) {
      if (!quotaScopesMatch(quota, resource.resource, object)) continue;
      for (const [name, amount] of Object.entries(quotaUsageOf(resource.group, resource.resource, object)))
        if (used[name] !== undefined) used[name] = addQuantities(used[name], String(amount));
    }
  }
  return used;
}
