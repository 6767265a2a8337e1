import { StatusError } from '@kubernode/api';
import { Compacted, FutureRevision, prefixRange, type Store } from '@kubernode/store';
import { encodeToken } from './continue-token.ts';
import { objectKey } from './keys.ts';
import type { ResourceCache } from './resource-cache.ts';
import { tooLargeRevision } from './revision.ts';
import { selects, type Selection } from './selection.ts';
import type { StoredObject } from './stored-object.ts';
import type { WatchCache } from './watch-cache.ts';

export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface ListPage {
  readonly objects: readonly StoredObject[];
  readonly metadata: ListMetadata;
}

export interface ListRequest {
  readonly cache: ResourceCache;
  readonly selection: Selection;
  /** What remains cannot be counted when a selector leaves some out. */
  readonly isSelective: boolean;
  /** 0 or less: no limit. */
  readonly limit: number;
  /** The last key of the page before, without the prefix. */
  readonly after: string;
}

/** A page as of now, out of the cache. */
export function listNow(request: ListRequest, revision: number): ListPage {
  const { cache, selection } = request;
  if (selection.name && selection.namespace) return listOne(request, revision);
  const prefix = objectKey(cache.prefix, selection.namespace, '');
  const after = request.after ? cache.prefix + request.after : '';
  const isWhole = selection.name === '' && selection.matches === undefined;
  if (!isWhole) return selectedPage(request, revision, cache.objects.from(prefix, after));
  const { objects, remaining } = cache.objects.page(prefix, after, request.limit);
  if (remaining > 0) return cutPage(request, revision, objects, remaining);
  return { objects, metadata: { resourceVersion: String(revision) } };
}

function listOne({ cache, selection }: ListRequest, revision: number): ListPage {
  const object = cache.objects.get(`${cache.prefix}${selection.namespace}/${selection.name}`);
  const objects = object && selects(selection, object) ? [object] : [];
  return { objects, metadata: { resourceVersion: String(revision) } };
}

/** A page as of an older revision, out of the store. Throws Expired, Timeout. */
export async function listAt(
  request: ListRequest,
  revision: number,
  store: Store,
  watchCache: WatchCache,
): Promise<ListPage> {
  const { cache } = request;
  if (revision < watchCache.compactedBefore) throw expired(request, revision, watchCache.revision);
  // What has not changed since then is in the cache as it was.
  if (cache.changedAt <= revision && revision <= watchCache.revision) return listNow(request, revision);
  try {
    return await readAt(request, revision, store, watchCache);
  } catch (error) {
    if (error instanceof Compacted) throw expired(request, revision, watchCache.revision);
    if (error instanceof FutureRevision) throw tooLargeRevision(revision, watchCache.revision);
    throw error;
  }
}

/** Read from the store at one go: a page costs what it holds, and so does a whole list of which little has changed. */
const sliceLength = 250;
/** Beyond, what remains is counted as of now: clients may not rely on it, and counting costs as much as reading all. */
const exactCountMax = 10_000;

async function readAt(request: ListRequest, at: number, store: Store, watchCache: WatchCache): Promise<ListPage> {
  const { cache, selection, limit, after } = request;
  const prefix = objectKey(cache.prefix, selection.namespace, '');
  const { from, to } = prefixRange(prefix);
  const wanted = limit > 0 ? limit : Infinity;
  const objects: StoredObject[] = [];
  let next = after ? `${cache.prefix}${after}\0` : from;
  for (let isMore = true; isMore && objects.length <= wanted;) {
    // One more than wanted tells whether there is more.
    const length = Math.min(sliceLength, wanted + 1 - objects.length);
    const { entries, remaining } = await store.list({ from: next, to }, { at, limit: length, isCounted: false });
    for (const entry of entries) {
      const known = cache.objects.get(entry.key);
      const object = known?.revision === entry.revision ? known : watchCache.decode(entry, cache.prefix);
      if (selects(selection, object)) objects.push(object);
    }
    next = `${entries.at(-1)?.key ?? next}\0`;
    isMore = remaining > 0;
    // Others have their turn in between.
    if (isMore && objects.length <= wanted) await new Promise(setImmediate);
  }
  const isCut = objects.length > wanted;
  objects.length = Math.min(objects.length, wanted);
  if (!isCut) return { objects, metadata: { resourceVersion: String(at) } };
  const last = objects.at(-1)!.key;
  if (request.isSelective) return cutPage(request, at, objects);
  const known = cache.objects.count(prefix, last);
  const isExact = known <= exactCountMax;
  const beyond = isExact ? await store.list({ from: `${last}\0`, to }, { at, limit: 0 }) : { remaining: known };
  return cutPage(request, at, objects, Math.max(1, beyond.remaining));
}

/** Not all that was asked for: says where to go on. */
function cutPage(
  { cache }: ListRequest,
  revision: number,
  objects: readonly StoredObject[],
  remaining?: number,
): ListPage {
  const token = encodeToken({ revision, after: objects.at(-1)!.key.slice(cache.prefix.length) });
  const metadata = { resourceVersion: String(revision), continue: token };
  return { objects, metadata: remaining === undefined ? metadata : { ...metadata, remainingItemCount: remaining } };
}

/** What a selector leaves; how many more there are is not known. */
function selectedPage(request: ListRequest, revision: number, candidates: Iterable<StoredObject>): ListPage {
  const { selection, limit } = request;
  const objects: StoredObject[] = [];
  for (const object of candidates) {
    if (!selects(selection, object)) continue;
    if (limit > 0 && objects.length === limit) return cutPage(request, revision, objects);
    objects.push(object);
  }
  return { objects, metadata: { resourceVersion: String(revision) } };
}

/** The token in the error goes on as of now, for clients that accept a list that is not of one moment. */
function expired({ after }: ListRequest, revision: number, current: number): StatusError {
  if (after === '') {
    return StatusError.of(
      'Expired',
      `The resourceVersion for the provided list is too old: ${revision}, current: ${current}`,
    );
  }
  const error = StatusError.of(
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
      'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
      'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
      'deleted between the time the first chunk was returned and now may show up in the list.',
  );
  return new StatusError({ ...error.status, metadata: { continue: encodeToken({ revision: -1, after }) } });
}
