import { StatusError } from '@kubernode/api';
import { sleep, type Clock, type Logger } from '@kubernode/machinery';
import { prefixRange, type Entry, type Range, type Store, type StoreEvent } from '@kubernode/store';
import { withRevision, type ApiObject } from './encoding.ts';
import { nameOfKey, namespaceOfKey, prefixOfKey, registryPrefix } from './keys.ts';
import { Past } from './past.ts';
import { ResourceCache } from './resource-cache.ts';
import { RevisionWaiters } from './revision-waiters.ts';
import { Slabs } from './slabs.ts';
import { StoredObject } from './stored-object.ts';
import { UnreadableValue, type LostObject } from './unreadable-value.ts';

/** Objects read together: so few that the memory that they were read into is free for the next ones. */
const pageLength = 500;
/** How often histories are looked through while they hold what will be too old. */
const trimMs = 30_000;
const retryMs = 250;
const retryMsMax = 5_000;

/** An object on its way to the store: the event that brings it back finds the decoded form here. */
interface Expected {
  readonly value: Uint8Array;
  readonly object: ApiObject;
  stored: StoredObject | undefined;
}

/**
 * Every object of the store, by resource, kept current by one watch of the whole registry. After a lost watch
 * (compaction, a slow moment, an error of the store) all is listed anew and every watcher is ended: it watches again.
 */
export class WatchCache {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #range: Range = prefixRange(registryPrefix);
  readonly #caches = new Map<string, ResourceCache>();
  readonly #past: Past;
  #slabs = new Slabs();
  readonly #expected = new Map<string, Expected>();
  readonly #waiters: RevisionWaiters;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #cancelTrim: (() => void) | undefined;
  /** Everything up to this revision is in the caches. */
  revision = 0;
  /** What was before this revision is forgotten, here as in the store. */
  compactedBefore = 0;
  /** The store is there, and its changes arrive. */
  isFollowing = true;

  constructor(options: { store: Store; clock: Clock; log: Logger; waiters?: RevisionWaiters }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#waiters = options.waiters ?? new RevisionWaiters();
    this.#past = new Past({ ...options, decode: (entry, prefix) => this.decode(entry, prefix) });
  }

  /** Resolves with the first complete copy. */
  async start(): Promise<void> {
    await this.#load();
    this.#running = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelTrim?.();
    for (const cache of this.#caches.values()) for (const watcher of cache.watchers()) watcher.end();
    await this.#running;
    this.#waiters.reach(Infinity);
  }

  /** The cache of a resource's prefix; made when first asked for, so that a new custom resource finds its objects. */
  of(prefix: string): ResourceCache {
    let cache = this.#caches.get(prefix);
    if (!cache) {
      cache = new ResourceCache(prefix, this.#completeAfter);
      // What it had before is in the store alone.
      cache.changedAt = this.#completeAfter;
      this.#caches.set(prefix, cache);
    }
    return cache;
  }

  /** Makes a resource's history reach back to `revision`, where the store still has what it lacks. */
  recall(cache: ResourceCache, revision: number): Promise<void> {
    return this.#past.recall(cache, revision);
  }

  /** Resolves once everything up to `revision` is in the caches. */
  reached(revision: number): Promise<void> | undefined {
    if (this.revision >= revision || this.#stopping.signal.aborted) return undefined;
    return new Promise((resolve) => this.#waiters.add(revision, resolve));
  }

  /** Whether everything up to `revision` is in the caches at the latest after `timeoutMs`. */
  reachedWithin(revision: number, timeoutMs: number): Promise<boolean> {
    if (this.revision >= revision || this.#stopping.signal.aborted) return Promise.resolve(this.revision >= revision);
    return new Promise((resolve) => {
      const cancel = this.#clock.after(timeoutMs, () => {
        giveUp();
        resolve(false);
      });
      const giveUp = this.#waiters.add(revision, () => {
        cancel();
        resolve(this.revision >= revision);
      });
    });
  }

  /** Announces a write, so that its event does not have to be decoded again. Call `settled` afterwards, always. */
  expect(key: string, value: Uint8Array, object: ApiObject): Expected {
    const expected: Expected = { value, object, stored: undefined };
    this.#expected.set(key, expected);
    return expected;
  }

  settled(key: string, expected: Expected): void {
    if (this.#expected.get(key) === expected) this.#expected.delete(key);
  }

  /** Tries again to read what could not be read: there are other keys now. */
  async readAgain(): Promise<void> {
    for (const cache of this.#caches.values()) {
      for (const { key, revision } of cache.lost?.values() ?? []) {
        const entry = await this.#store.get(key).catch(() => undefined);
        if (!entry || entry.revision !== revision || cache.lost?.get(key)?.revision !== revision) continue;
        const read = this.#read(entry, cache.prefix);
        if (read instanceof StoredObject) cache.find(read, this.revision, this.#clock.now());
      }
    }
  }

  /** The served form of a store's entry. Throws where it cannot be read. */
  decode(entry: Entry, prefix: string): StoredObject {
    if (entry.value instanceof UnreadableValue) {
      throw StatusError.of('InternalError', `Internal error occurred: ${entry.value.why}`);
    }
    const { key, revision, value, created } = entry;
    const namespace = namespaceOfKey(key, prefix);
    return new StoredObject({ key, namespace }, revision, withRevision(value, revision), created === revision);
  }

  /** One value that cannot be read must not take the others with it. */
  #read(entry: Entry, prefix: string, slabs = this.#slabs): StoredObject | LostObject {
    const { key, revision, value } = entry;
    const isEncrypted = value instanceof UnreadableValue;
    if (!isEncrypted) {
      try {
        const object = this.decode(entry, prefix);
        slabs.keep(object);
        return object;
      } catch (error) {
        this.#log.error('a stored object cannot be decoded', { key, error: String(error) });
        return { key, revision, ...nameOfKey(key, prefix), isEncrypted, why: (error as Error).message };
      }
    }
    this.#log.error('a stored object cannot be decrypted', { key, error: value.why });
    return { key, revision, ...nameOfKey(key, prefix), isEncrypted, why: value.why };
  }

  #completeAfter = 0;

  async #load(): Promise<void> {
    let range = this.#range;
    let at: number | undefined;
    const loaded = new Map<string, (StoredObject | LostObject)[]>();
    const slabs = new Slabs();
    for (;;) {
      const options = { limit: pageLength, isCounted: false };
      const page = await this.#store.list(range, at === undefined ? options : { ...options, at });
      at = page.revision;
      for (const entry of page.entries) {
        const prefix = prefixOfKey(entry.key);
        if (prefix === undefined) continue;
        const objects = loaded.get(prefix) ?? [];
        if (objects.length === 0) loaded.set(prefix, objects);
        objects.push(this.#read(entry, prefix, slabs));
      }
      const last = page.entries[page.entries.length - 1];
      if (page.remaining === 0 || !last) break;
      range = { from: last.key + '\0', to: range.to };
    }
    this.#slabs = slabs;
    this.#replace(loaded, at);
  }

  /** A store that was empty until now has no past that is missing: its history is complete. */
  #replace(loaded: Map<string, (StoredObject | LostObject)[]>, revision: number): void {
    const isFirst = this.revision === 0;
    this.#completeAfter = loaded.size === 0 && isFirst ? 0 : revision;
    for (const prefix of loaded.keys()) this.of(prefix);
    const as = { revision, completeAfter: this.#completeAfter, atMs: this.#clock.now() };
    const tellings = [...this.#caches.values()].map((cache) => cache.replace(loaded.get(cache.prefix) ?? [], as));
    // Who reads what is there when it starts is not told of it.
    if (!isFirst) for (const tell of tellings) tell();
    this.#advance(revision);
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    let delayMs = retryMs;
    while (!signal.aborted) {
      try {
        for await (const batch of this.#store.watch(this.#range, this.revision, signal)) {
          this.#apply(batch);
          delayMs = retryMs;
        }
        if (signal.aborted) return;
        throw new Error('the store ended the watch');
      } catch (error) {
        if (signal.aborted) return;
        this.isFollowing = false;
        this.#log.warn('the watch of the store was lost, listing anew', { error: String(error) });
        await this.#reload(delayMs);
        delayMs = Math.min(delayMs * 2, retryMsMax);
      }
    }
  }

  async #reload(delayMs: number): Promise<void> {
    try {
      await sleep(this.#clock, delayMs, this.#stopping.signal);
      await this.#load();
      this.isFollowing = true;
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#log.error('the store cannot be listed', { error: String(error) });
    }
  }

  #apply(batch: readonly StoreEvent[]): void {
    const atMs = this.#clock.now();
    let revision = this.revision;
    for (const event of batch) {
      const key = event.type === 'put' ? event.entry.key : event.key;
      revision = event.type === 'put' ? event.entry.revision : event.revision;
      const prefix = prefixOfKey(key);
      if (prefix === undefined) continue;
      const cache = this.of(prefix);
      if (event.type === 'delete') cache.remove(key, revision, atMs);
      else {
        const arrived = this.#arrived(event.entry, prefix);
        if (arrived instanceof StoredObject) cache.put(arrived, atMs);
        else cache.lose(arrived, revision);
      }
    }
    this.#advance(revision);
    if (!this.#stopping.signal.aborted) this.#cancelTrim ??= this.#clock.after(trimMs, () => this.#trim());
  }

  /** What histories held of a load goes when it is over, not only with the next change. */
  #trim(): void {
    this.#cancelTrim = undefined;
    const nowMs = this.#clock.now();
    let isMore = false;
    for (const cache of this.#caches.values()) if (cache.history.trim(nowMs)) isMore = true;
    if (isMore && !this.#stopping.signal.aborted) this.#cancelTrim = this.#clock.after(trimMs, () => this.#trim());
  }

  #arrived(entry: Entry, prefix: string): StoredObject | LostObject {
    const stored = this.#read(entry, prefix);
    const expected = this.#expected.get(entry.key);
    if (expected && stored instanceof StoredObject && sameBytes(expected.value, entry.value)) {
      expected.object.metadata.resourceVersion = String(entry.revision);
      stored.adopt(expected.object);
      expected.stored = stored;
    }
    return stored;
  }

  #advance(revision: number): void {
    this.revision = Math.max(this.revision, revision);
    this.#waiters.reach(this.revision);
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a === b || (a.length === b.length && Buffer.compare(a, b) === 0);
}
