import { Compacted, FutureRevision, StoreClosed } from './errors.ts';
import { SortedKeys } from './sorted-keys.ts';
import type { Change, Entry, ListOptions, Page, Range, Revision, Store, StoreEvent, Written } from './store.ts';
import { inRange, keyOf, revisionOf, WatchHub } from './watch-hub.ts';

export interface MemoryStoreOptions {
  /** Events that may wait for one watcher before it is dropped. */
  readonly watcherQueueMax?: number;
}

/** A store whose content lives and dies with the process. Values are kept as handed in: never change one afterwards. */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options.watcherQueueMax);
}

/** A key's past, oldest first; a deletion is a version without an entry. */
type Version = { readonly revision: Revision; readonly entry: Entry | undefined };

class MemoryStore implements Store {
  readonly #keys = new SortedKeys();
  readonly #versions = new Map<string, Version[]>();
  /** Every event since the compaction, in order. */
  #log: StoreEvent[] = [];
  readonly #hub: WatchHub;
  #revision: Revision = 1;
  #compacted: Revision = 0;
  #closed = false;

  constructor(watcherQueueMax: number | undefined) {
    this.#hub = new WatchHub(watcherQueueMax);
  }

  async get(key: string, at?: Revision): Promise<Entry | undefined> {
    return this.#entryAt(key, this.#readable(at));
  }

  async list(range: Range, { at, limit = Infinity }: ListOptions = {}): Promise<Page> {
    const revision = this.#readable(at);
    const entries: Entry[] = [];
    let remaining = 0;
    for (const key of this.#keys.range(range.from, range.to)) {
      const entry = this.#entryAt(key, revision);
      if (!entry) continue;
      if (entries.length < limit) entries.push(entry);
      else remaining++;
    }
    return { entries, revision, remaining };
  }

  async write(changes: readonly Change[]): Promise<Written> {
    if (this.#closed) throw new StoreClosed();
    assertDistinct(changes);
    const conflict = changes.find((change) => !expectationHolds(change, this.#latest(change.key)));
    if (conflict) {
      return { ok: false, key: conflict.key, current: this.#latest(conflict.key), revision: this.#revision };
    }
    const revision = this.#revision + 1;
    const events = changes.map((change) => this.#apply(change, revision)).filter((event) => event !== undefined);
    if (events.length > 0) {
      this.#revision = revision;
      for (const event of events) this.#log.push(event);
      this.#hub.publish(events);
    }
    return { ok: true, revision: this.#revision };
  }

  watch(range: Range, after: Revision, signal: AbortSignal): AsyncIterable<readonly StoreEvent[]> {
    return this.#hub.watch(range, after, signal, () => this.#replay(range, after));
  }

  async *changes(range: Range, after: Revision, upTo: Revision): AsyncGenerator<readonly StoreEvent[]> {
    this.#readable(undefined);
    for await (const events of this.#replay(range, after)) {
      const due = events.filter((event) => revisionOf(event) <= upTo);
      if (due.length > 0) yield due;
    }
  }

  async compact(before: Revision): Promise<void> {
    if (this.#readable(undefined) < before) throw new FutureRevision(before, this.#revision);
    if (before <= this.#compacted) return;
    this.#compacted = before;
    const keep = this.#logIndexAfter(before);
    const forgotten = this.#log.slice(0, keep);
    this.#log = this.#log.slice(keep);
    for (const key of new Set(forgotten.map(keyOf))) this.#prune(key);
  }

  async revision(): Promise<Revision> {
    return this.#readable(undefined);
  }

  async backup(path: string): Promise<void> {
    throw new Error(`backup to "${path}": a store in memory has no backup; keep the cluster's data in SQLite`);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#hub.close();
  }

  /** The revision to read at. */
  #readable(at: Revision | undefined): Revision {
    if (this.#closed) throw new StoreClosed();
    if (at === undefined) return this.#revision;
    if (at > this.#revision) throw new FutureRevision(at, this.#revision);
    if (at < this.#compacted) throw new Compacted(at, this.#compacted);
    return at;
  }

  #latest(key: string): Entry | undefined {
    return this.#versions.get(key)?.at(-1)?.entry;
  }

  #entryAt(key: string, at: Revision): Entry | undefined {
    return this.#versions.get(key)?.findLast((version) => version.revision <= at)?.entry;
  }

  /** Nothing where an absent key is deleted, which is no change. */
  #apply({ key, value }: Change, revision: Revision): StoreEvent | undefined {
    const previous = this.#latest(key);
    if (!value) {
      if (!previous) return undefined;
      this.#versions.get(key)!.push({ revision, entry: undefined });
      return { type: 'delete', key, revision, previous };
    }
    const entry: Entry = { key, value, revision, created: previous?.created ?? revision };
    const versions = this.#versions.get(key);
    if (versions) versions.push({ revision, entry });
    else {
      this.#versions.set(key, [{ revision, entry }]);
      this.#keys.add(key);
    }
    return { type: 'put', entry, previous };
  }

  async *#replay(range: Range, after: Revision): AsyncGenerator<readonly StoreEvent[]> {
    if (after < this.#compacted) throw new Compacted(after, this.#compacted);
    const events = this.#log.slice(this.#logIndexAfter(after)).filter((event) => inRange(range, keyOf(event)));
    if (events.length > 0) yield events;
  }

  /** Index of the first event after `revision`. */
  #logIndexAfter(revision: Revision): number {
    let low = 0;
    let high = this.#log.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (revisionOf(this.#log[middle]!) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Drops the versions that no read at the compaction or later can see. */
  #prune(key: string): void {
    const versions = this.#versions.get(key);
    if (!versions) return;
    const oldest = versions.findLastIndex((version) => version.revision <= this.#compacted);
    if (oldest > 0) versions.splice(0, oldest);
    if (versions[0]?.entry === undefined && versions[0]!.revision <= this.#compacted) versions.shift();
    if (versions.length > 0) return;
    this.#versions.delete(key);
    this.#keys.delete(key);
  }
}

function expectationHolds({ expect }: Change, current: Entry | undefined): boolean {
  if (expect === 'any') return true;
  return expect === 'absent' ? current === undefined : current?.revision === expect;
}

/** As etcd: one write changes a key once. */
export function assertDistinct(changes: readonly Change[]): void {
  if (changes.length < 2) return;
  const keys = new Set(changes.map((change) => change.key));
  if (keys.size < changes.length) throw new Error('write: the same key is changed twice, expected distinct keys');
}
