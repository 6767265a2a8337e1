import { isReason, type Kind, type WatchEvent } from '@kubernode/api';
import { Backoff, sleep, type Clock, type Logger } from '@kubernode/machinery';
import type { Client } from './client.ts';
import type { InformerScope } from './informer.ts';

/** Objects in one page of a list. */
const pageLimit = 500;
const backoffOptions = { initialMs: 200, maxMs: 30_000, jitter: 1 };
/** A watch that ends sooner, without an event, counts as failed: a server that hangs up at once is not hammered. */
const shortWatchMs = 1_000;
/** Failed watches in a row after which the revision is given up and everything is listed again. */
const watchFailuresMax = 5;
const watchTimeoutSeconds = 300;

export interface ReflectorTarget<T> {
  /** All objects as of `resourceVersion`. */
  replace(objects: readonly T[], resourceVersion: string): void;
  /** In order, bookmarks among them. */
  apply(events: readonly WatchEvent<T>[]): void;
}

export interface ReflectorOptions<T> {
  readonly client: Client;
  readonly kind: Kind<T>;
  readonly scope: InformerScope;
  readonly target: ReflectorTarget<T>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Keeps `target` current: lists, then watches from the list's revision; a watch that breaks goes on where it was, one
 * whose revision is gone (410) starts over with a list. Waits between failures: exponentially, with jitter. Resolves
 * when the signal aborts; never rejects.
 */
export async function reflect<T>(options: ReflectorOptions<T>): Promise<void> {
  const { signal, log, kind, clock } = options;
  let resourceVersion: string | undefined;
  const backoff = new Backoff({ ...backoffOptions, random: options.random });
  while (!signal.aborted) {
    try {
      if (resourceVersion === undefined) {
        resourceVersion = await listAll(options);
        backoff.reset();
      }
      const startedMs = clock.now();
      let events = 0;
      for await (const batch of watch(options, resourceVersion)) {
        events += batch.length;
        resourceVersion = batch.at(-1)?.object.metadata.resourceVersion ?? resourceVersion;
        backoff.reset();
        options.target.apply(batch as unknown as readonly WatchEvent<T>[]);
      }
      if (events > 0 || clock.now() - startedMs >= shortWatchMs) continue;
    } catch (error) {
      if (signal.aborted) return;
      const expired = isReason(error, 'Expired', 'Gone');
      if (expired || backoff.failures >= watchFailuresMax) resourceVersion = undefined;
      log.warn(expired ? 'Watch expired, listing again' : 'List or watch failed', {
        resource: kind.plural,
        failures: backoff.failures,
        error,
      });
    }
    await sleep(clock, backoff.next(), signal).catch(() => {});
  }
}

type Versioned = { readonly metadata: { readonly resourceVersion?: string } };

function watch<T>({ client, kind, scope, signal, random }: ReflectorOptions<T>, resourceVersion: string) {
  return client.watch(kind as Kind<unknown> as Kind<Versioned>, {
    ...scope,
    resourceVersion,
    allowWatchBookmarks: true,
    timeoutSeconds: Math.ceil(watchTimeoutSeconds * (1 + random())),
    signal,
  });
}

/** Lists in pages; where the pages' revision expires on the way, once more in one piece. Answers the revision. */
async function listAll<T>({ client, kind, scope, target, signal }: ReflectorOptions<T>): Promise<string> {
  const objects: T[] = [];
  let next: string | undefined;
  for (;;) {
    try {
      const page = await client.list(kind, { ...scope, limit: pageLimit, continue: next, signal });
      signal.throwIfAborted();
      for (const object of page.items) objects.push(object);
      next = page.metadata.continue || undefined;
      if (next) continue;
      target.replace(objects, page.metadata.resourceVersion);
      return page.metadata.resourceVersion;
    } catch (error) {
      if (!next || !isReason(error, 'Expired', 'Gone')) throw error;
      const whole = await client.list(kind, { ...scope, signal });
      signal.throwIfAborted();
      target.replace(whole.items, whole.metadata.resourceVersion);
      return whole.metadata.resourceVersion;
    }
  }
}
