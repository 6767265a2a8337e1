import type { CacheEvent } from './cache-event.ts';
import { History } from './history.ts';
import { SortedObjects } from './sorted-objects.ts';
import type { StoredObject } from './stored-object.ts';
import type { LostObject } from './unreadable-value.ts';
import type { Watcher } from './watcher.ts';

/**
 * All objects of one resource as of `revision`, the latest changes, and who watches them. It only ever moves forward,
 * one change at a time, fed by the one watch of the store.
 */
export class ResourceCache {
  readonly prefix: string;
  readonly objects = new SortedObjects();
  readonly history: History;
  /** The revision of the last change of this resource that was seen. */
  changedAt = 0;
  /** Objects that are there and cannot be read, by their keys; undefined where there are none, as it should be. */
  lost: Map<string, LostObject> | undefined;
  readonly #everywhere = new Set<Watcher>();
  /** Watchers of one namespace or one object do not cost anything when something else changes. */
  readonly #byNamespace = new Map<string, Set<Watcher>>();
  readonly #byName = new Map<string, Set<Watcher>>();

  /** Who saw less than this must list anew: since then an object is known that no event tells of. */
  #begunAt = 0;
  readonly #handlers = new Set<(event: CacheEvent) => void>();

  constructor(prefix: string, completeAfter: number) {
    this.prefix = prefix;
    this.history = new History(completeAfter);
  }

  /** What is there now cannot be read: who watches lists anew, and is told so. */
  lose(object: LostObject, revision: number): void {
    this.lost ??= new Map();
    this.lost.set(object.key, object);
    this.changedAt = revision;
    const known = this.objects.get(object.key);
    if (!known) return;
    this.objects.delete(object.key);
    known.release();
    this.beginAnew(revision);
  }

  /** What could not be read can be, as it has been all the time. */
  find(object: StoredObject, revision: number, atMs: number): void {
    this.#forget(object.key);
    this.objects.set(object);
    const event = { revision: object.revision, atMs, object, previous: undefined, deleted: false };
    for (const handler of this.#handlers) handler(event);
    this.beginAnew(revision);
  }

  /** Whether events after `revision` tell all that there is to tell. */
  canRecall(revision: number): boolean {
    return !this.lost && revision >= this.#begunAt;
  }

  /** From here on nothing is told of what was before. */
  beginAnew(revision: number): void {
    this.#begunAt = revision;
    this.history.reset(revision);
    for (const watcher of this.watchers()) watcher.end();
  }

  #forget(key: string): void {
    this.lost?.delete(key);
    if (this.lost?.size === 0) this.lost = undefined;
  }

  put(object: StoredObject, atMs: number): void {
    if (this.lost) this.#forget(object.key);
    const previous = this.objects.get(object.key);
    this.objects.set(object);
    this.#tell({ revision: object.revision, atMs, object, previous, deleted: false });
  }

  remove(key: string, revision: number, atMs: number): void {
    const previous = this.objects.get(key);
    if (this.lost) this.#forget(key);
    if (!previous) return;
    this.objects.delete(key);
    this.#tell({ revision, atMs, object: previous.at(revision), previous, deleted: true });
  }

  /** Forgets all objects; what happened until `revision` is not known any more. */
  clear(revision: number): void {
    this.objects.clear();
    this.history.reset(revision);
    this.lost = undefined;
  }

  /** Begins to tell the watcher; what happened until now is the caller's to queue first, without waiting in between. */
  register(watcher: Watcher): void {
    const { name, namespace } = watcher.selection;
    const [index, key] = name ? [this.#byName, name] : namespace ? [this.#byNamespace, namespace] : [undefined, ''];
    const set = index ? (index.get(key) ?? new Set<Watcher>()) : this.#everywhere;
    index?.set(key, set);
    set.add(watcher);
    watcher.onEnd = () => {
      set.delete(watcher);
      if (set.size === 0) index?.delete(key);
    };
  }

  /** Calls back after each change, in place, before anybody else is told; answers the way to stop. */
  onChange(handler: (event: CacheEvent) => void): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  *watchers(): Generator<Watcher> {
    yield* this.#everywhere;
    for (const set of this.#byNamespace.values()) yield* set;
    for (const set of this.#byName.values()) yield* set;
  }

  #tell(event: CacheEvent): void {
    this.changedAt = event.revision;
    this.history.push(event);
    for (const handler of this.#handlers) handler(event);
    for (const watcher of this.#everywhere) watcher.tell(event);
    for (const watcher of this.#byNamespace.get(event.object.namespace) ?? []) watcher.tell(event);
    for (const watcher of this.#byName.get(event.object.name) ?? []) watcher.tell(event);
  }
}
