import { StatusError } from '@kubernode/api';
import { itemFor, type CacheEvent, type WatchItem } from './cache-event.ts';
import type { Selection } from './selection.ts';

/** A reader that is this far behind is dropped, so that it holds up neither memory nor writers; it can watch again. */
const queuedItemsMax = 20_000;
/** The same of few large objects: older versions that nobody else holds any more. */
const queuedBytesMax = 64 * 1024 * 1024;
/** A batch is made into bytes as a whole: a long list that begins a watch must not be, for many watches. */
const batchBytesMax = 1024 * 1024;

const sizeOf = (item: WatchItem): number => (item.type === 'BOOKMARK' ? 0 : item.object.byteLength);

/**
 * One open watch: a queue between the cache, which never waits, and a reader, which may. Batches are everything that
 * came since the last one, up to a size.
 */
export class Watcher {
  readonly selection: Selection;
  #queue: WatchItem[] = [];
  #queuedBytes = 0;
  /** Of the queue, what the watch began with. */
  #initial = 0;
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
    if (this.#ended) return;
    this.#initial += 1;
    if (this.#queue.push(item) === 1) this.onReady?.();
  }

  push(item: WatchItem): void {
    if (this.#ended) return;
    if (this.#queue.length - this.#initial >= queuedItemsMax || this.#queuedBytes >= queuedBytesMax) return this.end();
    this.#queuedBytes += sizeOf(item);
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

  /** What came since the last time, the oldest of it first; undefined after the end. Throws the error that ended the watch. */
  take(): readonly WatchItem[] | undefined {
    if (this.#queue.length === 0 && this.#ended) {
      if (this.#error) throw this.#error;
      return undefined;
    }
    const count = this.#batchLength();
    const isAll = count === this.#queue.length;
    const batch = isAll ? this.#queue : this.#queue.splice(0, count);
    if (isAll) this.#queue = [];
    this.#settle(batch, isAll);
    return batch;
  }

  /** How many make a batch: at least one. */
  #batchLength(): number {
    let bytes = 0;
    for (let count = 0; count < this.#queue.length; count += 1) {
      bytes += sizeOf(this.#queue[count]!);
      if (bytes > batchBytesMax) return Math.max(1, count);
    }
    return this.#queue.length;
  }

  /** What is taken does not count any more. */
  #settle(batch: readonly WatchItem[], isAll: boolean): void {
    if (isAll) {
      this.#initial = 0;
      this.#queuedBytes = 0;
      return;
    }
    const initial = Math.min(this.#initial, batch.length);
    this.#initial -= initial;
    for (let index = initial; index < batch.length; index += 1) this.#queuedBytes -= sizeOf(batch[index]!);
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
