import type { Clock, Logger } from '@kubernode/machinery';
import { Compacted, prefixRange, type Entry, type Store, type StoreEvent } from '@kubernode/store';
import type { CacheEvent } from './cache-event.ts';
import { keptBytesMax } from './history.ts';
import type { ResourceCache } from './resource-cache.ts';
import type { StoredObject } from './stored-object.ts';

/** A watch that is farther behind begins with a list: looking through the store would cost more than that. */
const recalledRevisionsMax = 20_000;

interface Options {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Throws where it cannot be read. */
  readonly decode: (entry: Entry, prefix: string) => StoredObject;
}

/**
 * What histories do not hold and the store still has: all that was before a restart, for one. It is put into the history
 * of its resource, so that those who come back at the same time find it there.
 */
export class Past {
  readonly #options: Options;
  /** One at a time for each resource. */
  readonly #reading = new Map<ResourceCache, Promise<void>>();
  /** What has come since then is more than a history holds, and only becomes more: nobody reads it in vain again. */
  readonly #tooFar = new WeakMap<ResourceCache, number>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Makes the history reach back to `revision`, where it can be had. */
  recall(cache: ResourceCache, revision: number): Promise<void> {
    const before = this.#reading.get(cache) ?? Promise.resolve();
    const reading = before.then(() => this.#read(cache, revision));
    this.#reading.set(cache, reading);
    void reading.then(() => {
      if (this.#reading.get(cache) === reading) this.#reading.delete(cache);
    });
    return reading;
  }

  async #read(cache: ResourceCache, after: number): Promise<void> {
    const { store, log } = this.#options;
    const { history } = cache;
    const events: CacheEvent[] = [];
    const latest = new Map<string, StoredObject>();
    let bytes = 0;
    try {
      // The history may forget more in the meantime.
      for (let at = after; at < history.completeAfter;) {
        const upTo = history.completeAfter;
        if (!cache.canRecall(after) || upTo - after > recalledRevisionsMax) return;
        if (after <= (this.#tooFar.get(cache) ?? -1)) return;
        for await (const batch of store.changes(prefixRange(cache.prefix), at, upTo)) {
          for (const event of batch) {
            bytes += event.previous?.value.length ?? 0;
            events.push(this.#eventOf(event, cache, latest));
          }
          if (bytes > keptBytesMax) {
            this.#tooFar.set(cache, after);
            return;
          }
        }
        at = upTo;
      }
      if (cache.canRecall(after) && !history.prepend(events, after)) this.#tooFar.set(cache, after);
    } catch (error) {
      if (!(error instanceof Compacted)) log.warn('the past of a resource cannot be read', { error: String(error) });
    }
  }

  /** `latest`: what stood at each key after the events before this one. */
  #eventOf(event: StoreEvent, { prefix }: ResourceCache, latest: Map<string, StoredObject>): CacheEvent {
    const atMs = this.#options.clock.now();
    const decode = (entry: Entry): StoredObject => {
      const known = latest.get(entry.key);
      const object = known?.revision === entry.revision ? known : this.#options.decode(entry, prefix);
      latest.set(entry.key, object);
      return object;
    };
    const previous = event.previous && decode(event.previous);
    if (event.type === 'put') {
      return { revision: event.entry.revision, atMs, object: decode(event.entry), previous, deleted: false };
    }
    return { revision: event.revision, atMs, object: previous!.at(event.revision), previous, deleted: true };
  }
}
