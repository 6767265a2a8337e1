import { SlowWatcher, StoreClosed } from './errors.ts';
import { compareBytes } from './sorted-keys.ts';
import type { Range, Revision, StoreEvent } from './store.ts';

/** Events that may wait for one watcher before it is dropped. */
const watcherQueueMax = 10_000;

/**
 * Hands each write's events to all watchers. What differs between stores is only where the past comes from: `replay`
 * answers the events after a revision up to `upTo`, in order, in batches of whole revisions.
 */
export class WatchHub {
  readonly #watchers = new Set<Watcher>();
  readonly #queueMax: number;
  #closed = false;

  constructor(queueMax: number = watcherQueueMax) {
    this.#queueMax = queueMax;
  }

  /** Call with whole revisions, in order. */
  publish(events: readonly StoreEvent[]): void {
    for (const watcher of this.#watchers) watcher.push(events, this.#queueMax);
  }

  async *watch(
    range: Range,
    after: Revision,
    signal: AbortSignal,
    replay: () => AsyncIterable<readonly StoreEvent[]>,
  ): AsyncGenerator<readonly StoreEvent[], void> {
    if (this.#closed) throw new StoreClosed();
    if (signal.aborted) return;
    // Registered before the past is read, so that nothing falls between the two; what comes twice is skipped.
    const watcher = new Watcher(range);
    const onAbort = () => watcher.end(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#watchers.add(watcher);
    try {
      let seen = after;
      for await (const events of replay()) {
        if (signal.aborted) return;
        const last = events[events.length - 1];
        if (!last) continue;
        seen = revisionOf(last);
        yield events;
      }
      for (;;) {
        const events = await watcher.next();
        if (!events) return;
        const fresh = seen < revisionOf(events[0]!) ? events : events.filter((event) => revisionOf(event) > seen);
        if (fresh.length > 0) yield fresh;
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#watchers.delete(watcher);
    }
  }

  /** Ends all watches with StoreClosed. */
  close(): void {
    this.#closed = true;
    for (const watcher of this.#watchers) watcher.end(new StoreClosed());
  }
}

class Watcher {
  readonly #range: Range;
  #queue: StoreEvent[] = [];
  #ended = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(range: Range) {
    this.#range = range;
  }

  push(events: readonly StoreEvent[], queueMax: number): void {
    if (this.#ended) return;
    for (const event of events) if (inRange(this.#range, keyOf(event))) this.#queue.push(event);
    if (this.#queue.length > queueMax) {
      const queued = this.#queue.length;
      this.#queue = [];
      this.end(new SlowWatcher(this.#range.from, queued));
    } else if (this.#queue.length > 0) this.#wakeUp();
  }

  end(error: Error | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    this.#wakeUp();
  }

  /** All that waits; undefined once the watch was aborted. */
  async next(): Promise<StoreEvent[] | undefined> {
    while (this.#queue.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    if (this.#error) throw this.#error;
    if (this.#ended) return undefined;
    const events = this.#queue;
    this.#queue = [];
    return events;
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

export const keyOf = (event: StoreEvent): string => (event.type === 'put' ? event.entry.key : event.key);
export const revisionOf = (event: StoreEvent): Revision =>
  event.type === 'put' ? event.entry.revision : event.revision;

export function inRange(range: Range, key: string): boolean {
  // Native comparison settles nearly all; it differs from byte order only beyond U+D7FF.
  if (commonOrder.test(key)) return key >= range.from && key < range.to;
  return compareBytes(key, range.from) >= 0 && compareBytes(key, range.to) < 0;
}

const commonOrder = /^[\0-\ud7ff]*$/;
