import type { KubernetesObject } from '@kubernode/api';
import type { ClusterState } from './seams.ts';

type Handler = (object: KubernetesObject, deleted: boolean) => void;

/** A cluster's state that is handed in object by object: what the tests of security stand on. */
export class MemoryState implements ClusterState {
  readonly #objects = new Map<string, Map<string, KubernetesObject>>();
  readonly #handlers = new Map<string, Set<Handler>>();

  put(group: string, resource: string, object: object): void {
    const typed = object as KubernetesObject;
    this.#resource(group, resource).set(keyOf(typed.metadata.name, typed.metadata.namespace), typed);
    this.#tell(group, resource, typed, false);
  }

  remove(group: string, resource: string, name: string, namespace?: string): void {
    const objects = this.#resource(group, resource);
    const object = objects.get(keyOf(name, namespace));
    objects.delete(keyOf(name, namespace));
    if (object) this.#tell(group, resource, object, true);
  }

  get(group: string, resource: string, name: string, namespace?: string): KubernetesObject | undefined {
    return this.#resource(group, resource).get(keyOf(name, namespace));
  }

  list(group: string, resource: string, namespace?: string): readonly KubernetesObject[] {
    const objects = [...this.#resource(group, resource).values()];
    return namespace ? objects.filter((object) => object.metadata.namespace === namespace) : objects;
  }

  onChange(group: string, resource: string, handler: Handler): () => void {
    const key = `${group}/${resource}`;
    const handlers = this.#handlers.get(key) ?? new Set();
    this.#handlers.set(key, handlers.add(handler));
    return () => handlers.delete(handler);
  }

  onName(group: string, resource: string, handler: (name: string, namespace: string) => void): () => void {
    return this.onChange(group, resource, ({ metadata }) => handler(metadata.name, metadata.namespace ?? ''));
  }

  #resource(group: string, resource: string): Map<string, KubernetesObject> {
    const key = `${group}/${resource}`;
    const objects = this.#objects.get(key) ?? new Map<string, KubernetesObject>();
    this.#objects.set(key, objects);
    return objects;
  }

  #tell(group: string, resource: string, object: KubernetesObject, deleted: boolean): void {
    for (const handler of this.#handlers.get(`${group}/${resource}`) ?? []) handler(object, deleted);
  }
}

const keyOf = (name: string, namespace?: string): string => `${namespace || ''}/${name}`;
