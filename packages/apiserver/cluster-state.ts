import type { KubernetesObject } from '@kubernode/api';
import type { ClusterState } from './seams.ts';
import { resourcePrefix, objectKey } from './storage/keys.ts';
import type { ResourceCache } from './storage/resource-cache.ts';
import type { WatchCache } from './storage/watch-cache.ts';

/** The watch cache as admission and authorization read it: synchronously, as of now. */
export function clusterState(watchCache: WatchCache): ClusterState {
  // Asked several times by each request: the caches stay, and their prefixes are not put together again.
  const known = new Map<string, Map<string, ResourceCache>>();
  const cacheOf = (group: string, resource: string): ResourceCache => {
    let ofGroup = known.get(group);
    if (!ofGroup) known.set(group, (ofGroup = new Map()));
    let cache = ofGroup.get(resource);
    if (!cache) ofGroup.set(resource, (cache = watchCache.of(resourcePrefix(group, resource))));
    return cache;
  };
  return {
    get(group, resource, name, namespace = '') {
      const cache = cacheOf(group, resource);
      return cache.objects.get(objectKey(cache.prefix, namespace, name))?.object;
    },
    list(group, resource, namespace) {
      const cache = cacheOf(group, resource);
      const objects: KubernetesObject[] = [];
      if (cache.objects.size === 0) return objects;
      const prefix = namespace ? `${cache.prefix}${namespace}/` : cache.prefix;
      for (const object of cache.objects.from(prefix)) objects.push(object.object);
      return objects;
    },
    onChange(group, resource, handler) {
      return cacheOf(group, resource).onChange(({ object, deleted }) => handler(object.object, deleted));
    },
    onName(group, resource, handler) {
      return cacheOf(group, resource).onChange(({ object }) => handler(object.name, object.namespace));
    },
  };
}
