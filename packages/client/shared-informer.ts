import type { Kind, KubernetesObject, WatchEvent } from '@kubernode/api';
import { deepFreeze } from '@kubernode/machinery';
import type { InformerFactoryOptions } from './informer-factory.ts';
import type { Informer, InformerChange, InformerScope } from './informer.ts';
import { keyOf } from './keys.ts';
import { LocalCopy } from './local-copy.ts';
import { reflect, type ReflectorTarget } from './reflector.ts';

type Handler<T> = (change: InformerChange<T>) => void;

export class SharedInformer<T extends KubernetesObject> implements Informer<T>, ReflectorTarget<T> {
  readonly kind: Kind<T>;
  readonly synced: Promise<void>;
  readonly #options: InformerFactoryOptions;
  readonly #copy = new LocalCopy<T>();
  readonly #handlers = new Set<Handler<T>>();
  readonly #abort = new AbortController();
  readonly #running: Promise<void>;
  #waiting: { readonly resourceVersion: number; resolve(): void; reject(error: Error): void }[] = [];
  #resourceVersion = 0;

  constructor(kind: Kind<T>, scope: InformerScope, options: InformerFactoryOptions) {
    this.kind = kind;
    this.#options = options;
    this.synced = this.seen(1);
    this.#running = reflect({ ...options, kind, scope, target: this, signal: this.#abort.signal });
  }

  get hasSynced(): boolean {
    return this.#resourceVersion > 0;
  }

  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  seen(resourceVersion: number): Promise<void> {
    if (this.#resourceVersion >= resourceVersion) return Promise.resolve();
    if (this.#abort.signal.aborted) return Promise.reject(this.#stoppedError());
    const seen = new Promise<void>((resolve, reject) => this.#waiting.push({ resourceVersion, resolve, reject }));
    // Whoever waits is told; where nobody does, a stop is no unhandled rejection.
    seen.catch(() => {});
    return seen;
  }

  get(name: string, namespace?: string): T | undefined {
    return this.#copy.get(name, namespace);
  }

  list(namespace?: string): readonly T[] {
    return this.#copy.list(namespace);
  }

  byIndex(index: string, key: string): readonly T[] {
    return this.#copy.byIndex(index, key);
  }

  addIndex(name: string, keysOf: (object: T) => readonly string[]): void {
    this.#copy.addIndex(name, keysOf);
  }

  onChange(handler: Handler<T>): () => void {
    for (const object of this.#copy.list()) this.#call(handler, { type: 'added', object });
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    for (const waiter of this.#waiting.splice(0)) waiter.reject(this.#stoppedError());
    this.#handlers.clear();
    await this.#running;
  }

  replace(objects: readonly T[], resourceVersion: string): void {
    const gone = new Set(this.#copy.keys());
    for (const object of objects) gone.delete(keyOf(object));
    for (const key of gone) this.#removed(key, undefined);
    for (const object of objects) {
      const known = this.#copy.get(object.metadata.name, object.metadata.namespace);
      if (known?.metadata.resourceVersion !== object.metadata.resourceVersion) this.#put(object);
    }
    this.#advance(resourceVersion);
  }

  apply(events: readonly WatchEvent<T>[]): void {
    for (const { type, object } of events) {
      if (type === 'DELETED') this.#removed(keyOf(object), object);
      else if (type !== 'BOOKMARK') this.#put(object);
      this.#advance(object.metadata.resourceVersion);
    }
  }

  #put(received: T): void {
    const object = this.#finished(received);
    const known = this.#copy.get(object.metadata.name, object.metadata.namespace);
    // Deleted and made anew while nobody watched: two objects, though they have one name.
    if (known && known.metadata.uid !== object.metadata.uid) this.#removed(keyOf(known), undefined);
    const previous = this.#copy.put(object);
    this.#tell(previous ? { type: 'updated', object, previous } : { type: 'added', object });
  }

  /** `last` is the object's state at its deletion; undefined where only its absence is known. */
  #removed(key: string, last: T | undefined): void {
    const known = this.#copy.remove(key);
    if (known) this.#tell({ type: 'deleted', object: last ? this.#finished(last) : known });
  }

  /** With the type's name, which a list leaves out of its items, and frozen, because all share it. */
  #finished(object: T): T {
    const { apiVersion, kind } = this.kind;
    const named = object.kind ? object : { apiVersion, kind, ...object };
    return deepFreeze(named);
  }

  #advance(resourceVersion: string | undefined): void {
    // A store of another kind may answer versions that are not numbers: then having listed is all that is known.
    const version = Number(resourceVersion) || Math.max(1, this.#resourceVersion);
    if (version <= this.#resourceVersion) return;
    this.#resourceVersion = version;
    if (this.#waiting.length === 0) return;
    const due = this.#waiting.filter((waiter) => waiter.resourceVersion <= version);
    this.#waiting = this.#waiting.filter((waiter) => waiter.resourceVersion > version);
    for (const waiter of due) waiter.resolve();
  }

  #tell(change: InformerChange<T>): void {
    for (const handler of this.#handlers) this.#call(handler, change);
  }

  #call(handler: Handler<T>, change: InformerChange<T>): void {
    try {
      handler(change);
    } catch (error) {
      this.#options.log.error('Informer handler failed', {
        resource: this.kind.plural,
        change: change.type,
        key: keyOf(change.object),
        error,
      });
    }
  }

  #stoppedError(): Error {
    return new Error(`informer of ${this.kind.plural}: stopped`);
  }
}
