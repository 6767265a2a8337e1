/** What addresses an object within its kind. */
export interface Named {
  readonly metadata: { readonly name?: string | undefined; readonly namespace?: string | undefined };
}

/** `namespace/name`, or `name` where there is no namespace: the keys of work queues and informers, as client-go's. */
export function keyOf({ metadata }: Named): string {
  return metadata.namespace ? `${metadata.namespace}/${metadata.name ?? ''}` : (metadata.name ?? '');
}

export function keyFrom(name: string, namespace?: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** The name and namespace that `keyOf` put together; the namespace is '' where there is none. */
export function splitKey(key: string): { readonly name: string; readonly namespace: string } {
  const slash = key.indexOf('/');
  return { name: key.slice(slash + 1), namespace: slash < 0 ? '' : key.slice(0, slash) };
}
