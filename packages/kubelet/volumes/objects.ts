import type { Kind } from '@kubernode/api';
import { ConfigMap, Secret } from '@kubernode/api/core/v1';
import { createInformerFactory, type Client, type Informer, type InformerFactory } from '@kubernode/client';
import type { Clock, Logger } from '@kubernode/machinery';

export interface ReferencedObjectsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Tells that an object which the pod uses has changed. */
  readonly onChange: (podUid: string) => void;
}

interface Watched {
  readonly factory: InformerFactory;
  readonly informer: Informer<ConfigMap | Secret>;
  readonly users: Set<string>;
}

/**
 * ConfigMaps and Secrets that pods of this node refer to: one watch for each object, by name (all that the Node
 * authorizer lets a kubelet see), begun by the first pod that uses it and ended with the last.
 */
export class ReferencedObjects {
  readonly #options: ReferencedObjectsOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #waiting = new Map<string, Set<(error: Error) => void>>();

  constructor(options: ReferencedObjectsOptions) {
    this.#options = options;
  }

  configMap(namespace: string, name: string, podUid: string): Promise<ConfigMap | undefined> {
    return this.#get(ConfigMap, namespace, name, podUid) as Promise<ConfigMap | undefined>;
  }

  secret(namespace: string, name: string, podUid: string): Promise<Secret | undefined> {
    return this.#get(Secret, namespace, name, podUid) as Promise<Secret | undefined>;
  }

  /** The pod is to end: whoever waits for one of its objects is told so, instead of waiting on. */
  abandon(podUid: string): void {
    for (const reject of this.#waiting.get(podUid) ?? []) reject(new Error('the pod is being deleted'));
  }

  /** The pod is gone: ends the watches that nobody else needs. */
  release(podUid: string): void {
    for (const [key, { users, factory }] of this.#watched) {
      if (!users.delete(podUid) || users.size > 0) continue;
      this.#watched.delete(key);
      void factory.stop();
    }
  }

  async stop(): Promise<void> {
    const all = [...this.#watched.values()];
    this.#watched.clear();
    await Promise.all(all.map(({ factory }) => factory.stop()));
  }

  async #get(kind: Kind<ConfigMap | Secret>, namespace: string, name: string, podUid: string) {
    const key = `${kind.plural}/${namespace}/${name}`;
    const watched = this.#watched.get(key) ?? this.#watch(key, kind, namespace, name);
    watched.users.add(podUid);
    await this.#synced(watched, podUid);
    return watched.informer.get(name, namespace);
  }

  async #synced({ informer }: Watched, podUid: string): Promise<void> {
    if (informer.hasSynced) return;
    const waiting = this.#waiting.get(podUid) ?? new Set();
    this.#waiting.set(podUid, waiting);
    let abandon: (error: Error) => void = () => {};
    const abandoned = new Promise<never>((_, reject) => (abandon = reject));
    waiting.add(abandon);
    try {
      await Promise.race([informer.synced, abandoned]);
    } finally {
      waiting.delete(abandon);
      if (waiting.size === 0) this.#waiting.delete(podUid);
    }
  }

  #watch(key: string, kind: Kind<ConfigMap | Secret>, namespace: string, name: string): Watched {
    const { onChange, ...rest } = this.#options;
    const factory = createInformerFactory(rest);
    const informer = factory.for(kind, { namespace, fieldSelector: `metadata.name=${name}` });
    const watched: Watched = { factory, informer, users: new Set() };
    this.#watched.set(key, watched);
    informer.synced
      .then(() => informer.onChange(() => watched.users.forEach(onChange)))
      .catch((error: unknown) => this.#options.log.debug('watch ended', { key, error: String(error) }));
    return watched;
  }
}
