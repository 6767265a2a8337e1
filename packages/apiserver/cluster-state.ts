import type { KubernetesObject } from '@kubernode/api';
import type { ClusterState } from './seams.ts';
import { resourcePrefix, objectKey } from './storage/keys.ts';
import type { WatchCache } from './storage/watch-cache.ts';

/** The watch cache as admission and authorization read it: synchronously, as of now. */
export function clusterState(watchCache: WatchCache): ClusterState {
  const cacheOf = (group: string, resource: string) => watchCache.of(resourcePrefix(group, resource));
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
  };
}
