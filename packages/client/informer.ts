import type { Kind } from '@kubernode/api';

/**
 * A local, always current copy of a kind's objects: list, then watch, relisting with backoff when the watch is lost.
 * Objects are shared and frozen. Reads are synchronous; `get` and `byIndex` are O(1) plus the answer,
 * `list` is O(1) too until something changes.
 */
export interface Informer<T> {
  readonly kind: Kind<T>;
  /** Resolves after the first complete list; rejects when stopped before. */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  /** All changes up to this resourceVersion are in the local copy; 0 before the first list. */
  readonly resourceVersion: number;
  /**
   * Resolves once the local copy holds all changes up to `resourceVersion` (they compare: KEP-5504); rejects when
   * stopped before.
   */
  seen(resourceVersion: number): Promise<void>;
  get(name: string, namespace?: string): T | undefined;
  list(namespace?: string): readonly T[];
  /** Objects that the index function files under `key`; throws where the index was not declared. */
  byIndex(index: string, key: string): readonly T[];
  /** Adds an index; cheap before the first list, one pass after it. */
  addIndex(name: string, keysOf: (object: T) => readonly string[]): void;
  /**
   * Tells each change, in order, after the local copy has it; first replays what is there as `added`. Answers the way
   * to stop.
   */
  onChange(handler: (change: InformerChange<T>) => void): () => void;
}

export type InformerChange<T> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'updated'; readonly object: T; readonly previous: T }
  | { readonly type: 'deleted'; readonly object: T };

export interface InformerScope {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** One informer for each kind and scope, shared by all that ask, stopped together. */
export interface InformerFactory {
  for<T>(kind: Kind<T>, scope?: InformerScope): Informer<T>;
  /** Resolves when every informer asked for so far has synced. */
  synced(): Promise<void>;
  stop(): Promise<void>;
}
