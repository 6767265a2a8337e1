import { scheme, type Kind, type KubernetesObject } from '@kubernode/api';
import type { Informer } from '@kubernode/client';
import type { ControllerContext } from '../built-in.ts';
import { discover } from '../shared/discovery.ts';
import type { CountedResource } from './usage.ts';

/** The objects of any resource, watched from when a quota first counts them. */
export class CountedObjects {
  readonly #context: ControllerContext;
  readonly #onGone: (namespace: string) => void;
  readonly #informers = new Map<string, Informer<KubernetesObject>>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(context: ControllerContext, onGone: (namespace: string) => void) {
    this.#context = context;
    this.#onGone = onGone;
  }

  /** Resolves once the objects can be read. */
  async watch(resource: CountedResource): Promise<void> {
    const id = idOf(resource);
    if (this.#informers.has(id)) return;
    const kind = await this.#kindOf(resource);
    // What is not served has no objects; a later look may find it.
    if (!kind || this.#informers.has(id)) return;
    const informer = this.#context.informers.for(kind);
    this.#informers.set(id, informer);
    await informer.synced;
    this.#unsubscribe.push(
      informer.onChange(({ type, object }) => {
        if (type === 'deleted') this.#onGone(object.metadata.namespace ?? '');
      }),
    );
  }

  list(resource: CountedResource, namespace: string): readonly KubernetesObject[] {
    return this.#informers.get(idOf(resource))?.list(namespace) ?? [];
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
  }

  async #kindOf({ group, resource }: CountedResource): Promise<Kind<KubernetesObject> | undefined> {
    const core = group === '' ? scheme.byResource('', 'v1', resource) : undefined;
    if (core) return core.kind;
    const { resources } = await discover(this.#context.client);
    const found = resources.find(({ kind }) => kind.group === group && kind.plural === resource);
    return found?.kind.namespaced && found.verbs.includes('watch') ? found.kind : undefined;
  }
}

const idOf = ({ group, resource }: CountedResource) => `${resource}.${group}`;
