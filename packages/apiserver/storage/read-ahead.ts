import { setImmediate } from 'node:timers/promises';
import { objectKey } from './keys.ts';
import type { ResourceCache } from './resource-cache.ts';
import type { Selection } from './selection.ts';
import { StoredObject } from './stored-object.ts';

/** So many objects are decoded before others have their turn. */
export const decodedPerTurnMax = 250;

interface Candidates {
  readonly cache: ResourceCache;
  readonly selection: Selection;
  /** 0 or less: no limit. */
  readonly limit: number;
  /** The last key of the page before, without the prefix. */
  readonly after: string;
}

/**
 * Gets to know what a selection by labels or fields looks at, of objects that were not decoded since the start: selecting
 * them afterwards is quick. A server that has 100,000 of them would be away for seconds if that were done at one go.
 */
export async function readAhead({ cache, selection, limit, after }: Candidates): Promise<void> {
  if (!selection.matches || (selection.name && selection.namespace)) return;
  const prefix = objectKey(cache.prefix, selection.namespace, '');
  const turns = new Turns();
  let missing = limit > 0 ? limit : Infinity;
  for (const object of cache.objects.from(prefix, after ? cache.prefix + after : '')) {
    if (selection.matches(object)) missing -= 1;
    // One more tells whether there is more.
    if (missing < 0) return;
    if (turns.isOver) await turns.next();
  }
}

/** The same of what happened after a revision, as far as that is known. */
export async function readPastAhead(cache: ResourceCache, { matches }: Selection, revision: number): Promise<void> {
  if (!matches) return;
  const turns = new Turns();
  for (const { object, previous, deleted } of cache.history.after(revision) ?? []) {
    if (!deleted) matches(object);
    if (previous) matches(previous);
    if (turns.isOver) await turns.next();
  }
}

class Turns {
  #from = StoredObject.decodedCount;

  get isOver(): boolean {
    return StoredObject.decodedCount - this.#from >= decodedPerTurnMax;
  }

  async next(): Promise<void> {
    await setImmediate();
    this.#from = StoredObject.decodedCount;
  }
}
