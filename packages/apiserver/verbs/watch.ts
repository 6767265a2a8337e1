import { StatusError, type FieldCause } from '@kubernode/api';
import type { ResourceCall, Verb } from '../context.ts';
import { includeObjectOf } from '../encode/table.ts';
import { listNow } from '../storage/list.ts';
import { readAhead, readPastAhead } from '../storage/read-ahead.ts';
import { parseRevision, tooLargeRevision } from '../storage/revision.ts';
import { Watcher } from '../storage/watcher.ts';
import { listOptions, type ListOptions } from './options/list-options.ts';
import { streamFormatOf } from './respond.ts';
import { preparing } from '../encode/prepare.ts';

const bookmarkIntervalMs = 60_000;
/** Before a watch ends by itself, the last bookmark is sent this early. */
const lastBookmarkMs = 2_000;
/** Initial events wait this long for a revision that is still to come. */
const initialWaitMs = 3_000;

/** GET of a collection, or of one object by name, as a stream of its changes. */
export const watch: Verb = async (call) => {
  const format = streamFormatOf(call);
  if (format.transform === 'Table') includeObjectOf(call.request.query);
  const options = listOptions(call);
  checkWatchOptions(options);
  const watcher = await openWatcher(call, options);
  watcher.prepare = preparing(call.resource);
  if (!watcher.ended) endInTime(call, watcher, options);
  return { code: 200, warnings: call.warnings, content: { type: 'watch', watcher, resource: call.resource, format } };
};

/** Ends the watch when its time is up, its client is gone or the server stops, whichever comes first. */
function endInTime(call: ResourceCall, watcher: Watcher, options: ListOptions): void {
  const { clock, random, stopping, limits } = call.server;
  // Up to twice as long, so that not all end together; in seconds, for Node keeps a list of timers for every length of
  // time until it is over, whether its timers are still there or not.
  const spreadMs = Math.ceil((limits.watchTimeoutMsMin * (1 + random())) / 1000) * 1000;
  const durationMs = options.timeoutSeconds ? options.timeoutSeconds * 1000 : spreadMs;
  const cancel = clock.after(durationMs, () => watcher.end());
  const end = () => watcher.end();
  const { signal } = call.request;
  signal.addEventListener('abort', end, { once: true });
  stopping.addEventListener('abort', end, { once: true });
  const cancelBookmarks = options.allowWatchBookmarks ? sendBookmarks(call, watcher, durationMs) : undefined;
  const unregister = watcher.onEnd;
  watcher.onEnd = () => {
    unregister?.();
    cancel();
    cancelBookmarks?.();
    signal.removeEventListener('abort', end);
    stopping.removeEventListener('abort', end);
  };
  if (signal.aborted || stopping.aborted) watcher.end();
}

/** Between looking and registering nothing waits, so that no event is missed or told twice. */
async function openWatcher(call: ResourceCall, options: ListOptions): Promise<Watcher> {
  const { watchCache } = call.server;
  const { cache } = call.resource;
  const wanted = parseRevision(options.resourceVersion);
  const { selection } = options;
  if (options.sendInitialEvents) return initialEvents(call, options, wanted);
  if (wanted === undefined || wanted === 0) {
    await readAhead({ cache, selection, limit: 0, after: '' });
    const watcher = new Watcher(selection, watchCache.revision);
    if (wanted === 0 || options.sendInitialEvents === undefined) pushInitial(call, watcher);
    cache.register(watcher);
    return watcher;
  }
  if (wanted < cache.history.completeAfter) await watchCache.recall(cache, wanted);
  await readPastAhead(cache, selection, wanted);
  const past = cache.history.after(wanted);
  if (!past) {
    const ended = new Watcher(selection, wanted);
    ended.end(StatusError.of('Expired', `too old resource version: ${wanted} (${cache.history.completeAfter})`));
    return ended;
  }
  const watcher = new Watcher(selection, wanted);
  for (const event of past) watcher.tell(event);
  cache.register(watcher);
  return watcher;
}

async function initialEvents(call: ResourceCall, options: ListOptions, wanted: number | undefined): Promise<Watcher> {
  const { watchCache } = call.server;
  if (wanted !== undefined && !(await watchCache.reachedWithin(wanted, initialWaitMs))) {
    const ended = new Watcher(options.selection, wanted);
    ended.end(tooLargeRevision(wanted, watchCache.revision));
    return ended;
  }
  await readAhead({ cache: call.resource.cache, selection: options.selection, limit: 0, after: '' });
  const { revision } = watchCache;
  const watcher = new Watcher(options.selection, revision);
  pushInitial(call, watcher);
  if (options.allowWatchBookmarks) watcher.push({ type: 'BOOKMARK', revision, initialEventsEnd: true });
  call.resource.cache.register(watcher);
  return watcher;
}

function pushInitial(call: ResourceCall, watcher: Watcher): void {
  const { selection } = watcher;
  const request = { cache: call.resource.cache, selection, isSelective: true, limit: 0, after: '' };
  for (const object of listNow(request, 0).objects) watcher.pushInitial({ type: 'ADDED', object });
}

/** Tells a quiet watcher how far the world is, so that it can go on from there. */
function sendBookmarks({ server }: ResourceCall, watcher: Watcher, durationMs: number): () => void {
  let cancel: () => void;
  const endMs = server.clock.now() + durationMs;
  let toldRevision = 0;
  const arm = () => {
    const untilLastMs = endMs - lastBookmarkMs - server.clock.now();
    const intervalMs = bookmarkIntervalMs * (0.9 + 0.1 * server.random());
    cancel = server.clock.after(untilLastMs > 0 ? Math.min(intervalMs, untilLastMs) : intervalMs, () => {
      const { revision } = server.watchCache;
      if (revision > toldRevision) watcher.push({ type: 'BOOKMARK', revision, initialEventsEnd: false });
      toldRevision = revision;
      arm();
    });
  };
  arm();
  return () => cancel();
}

/** Throws Invalid. */
function checkWatchOptions({ resourceVersionMatch: match, sendInitialEvents, continueToken }: ListOptions): void {
  const causes: FieldCause[] = [];
  const forbidden = (field: string, why: string) => {
    causes.push({ reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field });
  };
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    forbidden('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  }
  if (sendInitialEvents === undefined && match) {
    forbidden(
      'resourceVersionMatch',
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
  }
  if (match && match !== 'NotOlderThan') {
    const message = `Unsupported value: ${JSON.stringify(match)}: supported values: "NotOlderThan"`;
    causes.push({ reason: 'FieldValueNotSupported', message, field: 'resourceVersionMatch' });
  }
  if (continueToken) {
    forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided');
  }
  if (causes.length > 0) throw StatusError.invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', causes);
}
