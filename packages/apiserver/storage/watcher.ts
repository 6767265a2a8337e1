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
  #queue: (WatchItem | undefined)[] = [];
  /** What is before was taken. */
  #start = 0;
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
    this.#append(item);
  }

  push(item: WatchItem): void {
    if (this.#ended) return;
    if (this.#length - this.#initial >= queuedItemsMax || this.#queuedBytes >= queuedBytesMax) return this.end();
    this.#queuedBytes += sizeOf(item);
    this.#append(item);
  }

  /** It may wait here for longer than it lives. */
  #append(item: WatchItem): void {
    if (item.type !== 'BOOKMARK') item.object.isLent = true;
    this.#queue.push(item);
    if (this.#length === 1) this.onReady?.();
  }

  get #length(): number {
    return this.#queue.length - this.#start;
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
    return this.#length > 0 || this.#ended;
  }

  /** What came since the last time, the oldest of it first; undefined after the end. Throws the error that ended the watch. */
  take(): readonly WatchItem[] | undefined {
    if (this.#length === 0 && this.#ended) {
      if (this.#error) throw this.#error;
      return undefined;
    }
    const end = this.#batchEnd();
    const isAll = end === this.#queue.length;
    const isWhole = isAll && this.#start === 0;
    const batch = (isWhole ? this.#queue : this.#queue.slice(this.#start, end)) as readonly WatchItem[];
    if (isAll) this.#clear();
    else this.#advance(end, batch);
    return batch;
  }

  /** Where a batch ends: there is one at least in it, if there is any. */
  #batchEnd(): number {
    let bytes = 0;
    for (let at = this.#start; at < this.#queue.length; at += 1) {
      bytes += sizeOf(this.#queue[at]!);
      if (bytes > batchBytesMax) return Math.max(this.#start + 1, at);
    }
    return this.#queue.length;
  }

  #clear(): void {
    this.#queue = [];
    this.#start = 0;
    this.#initial = 0;
    this.#queuedBytes = 0;
  }

  /** What is taken is not held here any more, and does not count. A long queue is not moved for each batch of it. */
  #advance(end: number, batch: readonly WatchItem[]): void {
    this.#queue.fill(undefined, this.#start, end);
    this.#start = end;
    const initial = Math.min(this.#initial, batch.length);
    this.#initial -= initial;
    for (let index = initial; index < batch.length; index += 1) this.#queuedBytes -= sizeOf(batch[index]!);
    if (this.#start * 2 <= this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#start);
    this.#start = 0;
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
