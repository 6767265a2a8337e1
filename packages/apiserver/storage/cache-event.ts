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

type Change = 'ADDED' | 'MODIFIED' | 'DELETED';

let latestEvent: CacheEvent | undefined;
let latestItems: Partial<Record<Change, WatchItem>> = {};

/** One item for all watchers that are told the same, one after the other. */
function shared(event: CacheEvent, type: Change): WatchItem {
  if (event !== latestEvent) {
    latestEvent = event;
    latestItems = {};
  }
  return (latestItems[type] ??= { type, object: shownAs(event, type) });
}

/** What leaves a selection is shown as it was, at the revision at which it left. */
function shownAs({ object, previous, revision, deleted }: CacheEvent, type: Change): StoredObject {
  return type === 'DELETED' && !deleted ? previous!.at(revision) : object;
}

/**
 * What a change is to somebody who sees only a selection: an object that leaves the selection is DELETED, one that
 * enters it ADDED. Undefined where it is neither before nor after in the selection.
 */
export function itemFor(event: CacheEvent, selection: Selection): WatchItem | undefined {
  const before = event.previous !== undefined && selects(selection, event.previous);
  if (!event.deleted && selects(selection, event.object)) return shared(event, before ? 'MODIFIED' : 'ADDED');
  return before ? shared(event, 'DELETED') : undefined;
}
