import { objectIn } from '../../encode/value.ts';
import type { ResourceRegistry, ServedResource } from '../../registry.ts';
import { objectKey } from '../../storage/keys.ts';
import type { KindReader, ObjectReader } from './reviewed-request.ts';

const readers = new WeakMap<ResourceRegistry, ObjectReader>();

/** Reads out of the watch cache; the same reader for all requests. */
export function objectReader(registry: ResourceRegistry): ObjectReader {
  const known = readers.get(registry);
  if (known) return known;
  let generation = -1;
  let kinds = new Map<string, KindReader>();
  const reader: ObjectReader = {
    find(apiVersion, kind) {
      if (generation !== registry.generation) {
        generation = registry.generation;
        kinds = new Map();
      }
      const key = `${apiVersion}/${kind}`;
      let found = kinds.get(key);
      if (found) return found;
      const resource = resourceOfKind(registry, apiVersion, kind);
      if (!resource) return undefined;
      kinds.set(key, (found = kindReader(resource)));
      return found;
    },
  };
  readers.set(registry, reader);
  return reader;
}

function resourceOfKind(registry: ResourceRegistry, apiVersion: string, kind: string): ServedResource | undefined {
  const slash = apiVersion.indexOf('/');
  const served = registry.group(apiVersion.slice(0, Math.max(0, slash)))?.versions.get(apiVersion.slice(slash + 1));
  return [...(served?.resources.values() ?? [])].find((resource) => resource.kind === kind);
}

function kindReader(resource: ServedResource): KindReader {
  const { cache, namespaced, plural } = resource;
  return {
    resource: plural,
    namespaced,
    get(name, namespace) {
      const stored = cache.objects.get(objectKey(cache.prefix, namespaced ? namespace : '', name));
      return stored && objectIn(stored, resource);
    },
    list(namespace) {
      const prefix = namespaced && namespace ? `${cache.prefix}${namespace}/` : cache.prefix;
      return [...cache.objects.from(prefix)].map((stored) => objectIn(stored, resource));
    },
  };
}
