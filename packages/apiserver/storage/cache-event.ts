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

let latestEvent: CacheEvent | undefined;
let latestItem: WatchItem | undefined;

/** One item for all watchers that are told the same, one after the other. */
function shared(event: CacheEvent, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: StoredObject): WatchItem {
  if (event === latestEvent && latestItem!.type === type) return latestItem!;
  latestEvent = event;
  return (latestItem = { type, object });
}

/**
 * What a change is to somebody who sees only a selection: an object that leaves the selection is DELETED, one that
 * enters it ADDED. Undefined where it is neither before nor after in the selection.
 */
export function itemFor(event: CacheEvent, selection: Selection): WatchItem | undefined {
  const before = event.previous !== undefined && selects(selection, event.previous);
  if (event.deleted) return before ? shared(event, 'DELETED', event.object) : undefined;
  const after = selects(selection, event.object);
  if (after) return shared(event, before ? 'MODIFIED' : 'ADDED', event.object);
  return before ? shared(event, 'DELETED', event.previous!.at(event.revision)) : undefined;
}
