/** The layout of the key space: `/registry/<group>/<resource>/<namespace>/<name>`, the core group as `core`. */
export const registryPrefix = '/registry/';

/** Where all objects of a resource are, with the closing slash. */
export function resourcePrefix(group: string, plural: string): string {
  return `${registryPrefix}${group || 'core'}/${plural}/`;
}

/** `namespace` is '' for cluster-scoped resources. */
export function objectKey(prefix: string, namespace: string, name: string): string {
  return namespace ? `${prefix}${namespace}/${name}` : prefix + name;
}

/** The resource's prefix of an object's key; undefined where the key does not follow the layout. */
export function prefixOfKey(key: string): string | undefined {
  if (!key.startsWith(registryPrefix)) return undefined;
  const group = key.indexOf('/', registryPrefix.length);
  const resource = group < 0 ? -1 : key.indexOf('/', group + 1);
  return resource < 0 ? undefined : key.slice(0, resource + 1);
}

/** Name and namespace, as the key tells them. */
export function nameOfKey(key: string, prefix: string): { readonly namespace: string; readonly name: string } {
  const rest = key.slice(prefix.length);
  const slash = rest.indexOf('/');
  return slash < 0 ? { namespace: '', name: rest } : { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
}

/** The namespace of a key, the same string for all keys of it; '' where it has none. */
export function namespaceOfKey(key: string, prefix: string): string {
  const slash = key.indexOf('/', prefix.length);
  if (slash < 0) return '';
  const namespace = key.slice(prefix.length, slash);
  const known = namespaces.get(namespace);
  if (known !== undefined) return known;
  if (namespaces.size >= namespacesMax) namespaces.clear();
  namespaces.set(namespace, namespace);
  return namespace;
}

const namespacesMax = 10_000;
const namespaces = new Map<string, string>();
