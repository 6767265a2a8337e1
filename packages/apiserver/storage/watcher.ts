import { StatusError } from '@kubernode/api';
import { itemFor, type CacheEvent, type WatchItem } from './cache-event.ts';
import type { Selection } from './selection.ts';

/** A reader that is this far behind is dropped, so that it holds up neither memory nor writers; it can watch again. */
const queuedItemsMax = 20_000;

/**
 * One open watch: a queue between the cache, which never waits, and a reader, which may. Batches are everything that
 * came since the last one.
 */
export class Watcher {
  readonly selection: Selection;
  #queue: WatchItem[] = [];
  #queuedMax = queuedItemsMax;
  #ended = false;
  #error: StatusError | undefined;
  /** Changes up to this revision are not this watcher's: it was told of them already, or did not ask for them. */
  readonly after: number;
  onEnd: (() => void) | undefined;
  /** Told when there is something to take where there was nothing, and of the end. */
  onReady: (() => void) | undefined;
  /** Gets what reading a batch needs of others; the batch waits for it. */
  prepare: ((items: readonly WatchItem[]) => Promise<void> | undefined) | undefined;

  constructor(selection: Selection, after: number) {
    this.selection = selection;
    this.after = after;
  }

  /** Tells the watcher of a change; cheap where it is not selected. */
  tell(event: CacheEvent): void {
    if (this.#ended || event.revision <= this.after) return;
    const item = itemFor(event, this.selection);
    if (item) this.push(item);
  }

  /** What a watch begins with. However many there are, the reader is not behind yet: they do not count. */
  pushInitial(item: WatchItem): void {
    this.#queuedMax += 1;
    this.push(item);
  }

  push(item: WatchItem): void {
    if (this.#ended) return;
    if (this.#queue.length >= this.#queuedMax) return this.end();
    if (this.#queue.push(item) === 1) this.onReady?.();
  }

  /** Ends after what is queued; with an error, the reader is told it last. */
  end(error?: StatusError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    this.onEnd?.();
    this.onReady?.();
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** There is something to take, or it is known that there will be nothing more. */
  get isReady(): boolean {
    return this.#queue.length > 0 || this.#ended;
  }

  /** All that came since the last time; undefined after the end. Throws the error that ended the watch. */
  take(): readonly WatchItem[] | undefined {
    if (this.#queue.length === 0 && this.#ended) {
      if (this.#error) throw this.#error;
      return undefined;
    }
    const batch = this.#queue;
    this.#queue = [];
    this.#queuedMax = queuedItemsMax;
    return batch;
  }

  /** The batches, until the watch ends; throws the error that ended it. */
  async *batches(): AsyncGenerator<readonly WatchItem[]> {
    try {
      for (;;) {
        if (!this.isReady) {
          await new Promise<void>((resolve) => {
            this.onReady = resolve;
          });
        }
        const batch = this.take();
        if (!batch) return;
        const pending = this.prepare?.(batch);
        if (pending) await pending;
        yield batch;
      }
    } finally {
      this.end();
    }
  }
}
