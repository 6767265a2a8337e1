import { selects, type Selection } from './selection.ts';
import type { StoredObject } from './stored-object.ts';

/** One change of one object, as the history keeps it and all watchers share it. */
export interface CacheEvent {
  readonly revision: number;
  /** When the cache saw it, for the history's age. */
  readonly atMs: number;
  /** The object after the change; for a deletion the last object, at the deletion's revision. */
  readonly object: StoredObject;
  readonly previous: StoredObject | undefined;
  readonly deleted: boolean;
}

/** What a watcher is told. */
export type WatchItem =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: StoredObject }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly initialEventsEnd: boolean };

/**
 * What a change is to somebody who sees only a selection: an object that leaves the selection is DELETED, one that
 * enters it ADDED. Undefined where it is neither before nor after in the selection.
 */
export function itemFor(event: CacheEvent, selection: Selection): WatchItem | undefined {
  const before = event.previous !== undefined && selects(selection, event.previous);
  if (event.deleted) return before ? { type: 'DELETED', object: event.object } : undefined;
  const after = selects(selection, event.object);
  if (after) return { type: before ? 'MODIFIED' : 'ADDED', object: event.object };
  return before ? { type: 'DELETED', object: event.previous!.at(event.revision) } : undefined;
}
