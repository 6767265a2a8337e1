/**
 * A revisioned key space as etcd defines it (etcd API: Range, Txn, Watch, Compact). Every write makes one new revision
 * for all its changes; a read at a revision sees exactly the writes up to it. Values are opaque bytes.
 */
export interface Store {
  /** The entry as of `at` (default: now), or undefined. Throws Compacted, FutureRevision. */
  get(key: string, at?: Revision): Promise<Entry | undefined>;
  /** A page in byte order of the keys, consistent at `page.revision`. Throws Compacted, FutureRevision. */
  list(range: Range, options?: ListOptions): Promise<Page>;
  /** All changes or none, durable when it resolves. A change whose expectation fails resolves to `conflict`. */
  write(changes: readonly Change[]): Promise<Written>;
  /**
   * Events after revision `after`, in order, in batches, without a gap, each revision's events in one batch. Ends
   * when the signal aborts. Throws Compacted where `after` is older than the compaction, and SlowWatcher when the
   * reader falls behind by more than the store's bound.
   */
  watch(range: Range, after: Revision, signal: AbortSignal): AsyncIterable<readonly StoreEvent[]>;
  /** The events after revision `after` up to `upTo`, as `watch` tells them, and no others. Throws Compacted. */
  changes(range: Range, after: Revision, upTo: Revision): AsyncIterable<readonly StoreEvent[]>;
  /** Forgets what is not needed to answer at `before` or later. Reads and watches before it throw Compacted. */
  compact(before: Revision): Promise<void>;
  /** The newest revision; 1 on an empty store, as etcd's. */
  revision(): Promise<Revision>;
  /** A consistent copy in a new file at `path`, made while writes go on. */
  backup(path: string): Promise<void>;
  close(): Promise<void>;
}

/** A positive integer that only grows. */
export type Revision = number;

/** Keys from `from` (inclusive) to `to` (exclusive), in byte order. `prefixRange('/a/')` makes one of a prefix. */
export interface Range {
  readonly from: string;
  readonly to: string;
}

export interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
  /** The revision of the last change. */
  readonly revision: Revision;
  /** The revision that created the key. */
  readonly created: Revision;
}

export interface ListOptions {
  readonly at?: Revision;
  readonly limit?: number;
  /** False: `remaining` need only say whether there is more. Counting costs what remains, however short the page is. */
  readonly isCounted?: boolean;
}

export interface Page {
  readonly entries: readonly Entry[];
  readonly revision: Revision;
  /** How many more entries the range holds beyond this page. */
  readonly remaining: number;
}

/** `expect`: the revision that the key must have now, or 'absent', or 'any'. Without `value` the key is deleted. */
export interface Change {
  readonly key: string;
  readonly value?: Uint8Array;
  readonly expect: Revision | 'absent' | 'any';
}

export type Written =
  | { readonly ok: true; readonly revision: Revision }
  /** Nothing was written; `current` is what stands at the first key whose expectation failed. */
  | { readonly ok: false; readonly key: string; readonly current: Entry | undefined; readonly revision: Revision };

export type StoreEvent =
  | { readonly type: 'put'; readonly entry: Entry; readonly previous: Entry | undefined }
  | { readonly type: 'delete'; readonly key: string; readonly revision: Revision; readonly previous: Entry };

/** The range of all keys that begin with `prefix`. */
export function prefixRange(prefix: string): Range {
  return { from: prefix, to: prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1) };
}

/** The same store, as an object of functions: for what does some of them otherwise. */
export const boundStore = (store: Store): Store => ({
  get: (key, at) => store.get(key, at),
  list: (range, options) => store.list(range, options),
  write: (changes) => store.write(changes),
  watch: (range, after, signal) => store.watch(range, after, signal),
  changes: (range, after, upTo) => store.changes(range, after, upTo),
  compact: (before) => store.compact(before),
  revision: () => store.revision(),
  backup: (path) => store.backup(path),
  close: () => store.close(),
});
