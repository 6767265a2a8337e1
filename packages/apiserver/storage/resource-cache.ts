import type { CacheEvent } from './cache-event.ts';
import { History } from './history.ts';
import { SortedObjects } from './sorted-objects.ts';
import { StoredObject } from './stored-object.ts';
import type { LostObject } from './unreadable-value.ts';
import type { Watcher } from './watcher.ts';
import { Watchers } from './watchers.ts';

/**
 * All objects of one resource as of `revision`, the latest changes, and who watches them. It only ever moves forward,
 * one change at a time, fed by the one watch of the store.
 */
export class ResourceCache {
  readonly prefix: string;
  objects = new SortedObjects();
  readonly history: History;
  /** The revision of the last change of this resource that was seen. */
  changedAt = 0;
  /** Objects that are there and cannot be read, by their keys; undefined where there are none, as it should be. */
  lost: Map<string, LostObject> | undefined;
  readonly #watchers = new Watchers();
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
    const previous = this.objects.set(object);
    this.#tell({ revision: object.revision, atMs, object, previous, deleted: false });
  }

  remove(key: string, revision: number, atMs: number): void {
    const previous = this.objects.get(key);
    if (this.lost) this.#forget(key);
    if (!previous) return;
    this.objects.delete(key);
    this.#tell({ revision, atMs, object: previous.at(revision), previous, deleted: true });
  }

  /**
   * Takes what there is as of `revision` for what it had, where nobody told what happened in between: its watches end.
   * Nothing is known of what happened until `completeAfter`. Answers what tells the difference to those who called
   * `onChange`; to be called when all resources are as of that revision.
   */
  replace(
    contents: readonly (StoredObject | LostObject)[],
    { revision, completeAfter, atMs }: { revision: number; completeAfter: number; atMs: number },
  ): () => void {
    for (const watcher of this.watchers()) watcher.end();
    const before = this.objects;
    this.objects = new SortedObjects();
    this.history.reset(completeAfter);
    this.lost = undefined;
    for (const object of contents) {
      if (object instanceof StoredObject) this.objects.set(object);
      else this.lose(object, revision);
    }
    this.changedAt = revision;
    return () => {
      if (this.#handlers.size === 0) return;
      for (const event of this.#differences(before, revision, atMs)) {
        for (const handler of this.#handlers) handler(event);
      }
    };
  }

  *#differences(before: SortedObjects, revision: number, atMs: number): Generator<CacheEvent> {
    for (const previous of before.from(this.prefix)) {
      if (this.objects.get(previous.key) || this.lost?.has(previous.key)) continue;
      yield { revision, atMs, object: previous.at(revision), previous, deleted: true };
    }
    for (const object of this.objects.from(this.prefix)) {
      const previous = before.get(object.key);
      if (previous?.revision === object.revision) continue;
      yield { revision: object.revision, atMs, object, previous, deleted: false };
    }
  }

  /** Begins to tell the watcher; what happened until now is the caller's to queue first, without waiting in between. */
  register(watcher: Watcher): void {
    this.#watchers.add(watcher);
  }

  /** Calls back after each change, in place, before anybody else is told; answers the way to stop. */
  onChange(handler: (event: CacheEvent) => void): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  watchers(): Iterable<Watcher> {
    return this.#watchers;
  }

  #tell(event: CacheEvent): void {
    this.changedAt = event.revision;
    this.history.push(event);
    for (const handler of this.#handlers) handler(event);
    this.#watchers.tell(event);
  }
}
