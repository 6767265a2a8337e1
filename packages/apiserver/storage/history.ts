import type { CacheEvent } from './cache-event.ts';

/** Enough for a client that reconnects: events are kept this long at least, unless there are too many. */
const keptMs = 75_000;
const keptEventsMin = 256;
const keptEventsMax = 20_000;
/** What replaced and deleted objects may take, which only the history still holds. */
export const keptBytesMax = 32 * 1024 * 1024;

/** The latest events of one resource, in order of revision, for watches that begin in the past. */
export class History {
  #events: (CacheEvent | undefined)[] = [];
  #start = 0;
  #bytes = 0;
  /** Every event after this revision is in the history. */
  completeAfter: number;

  constructor(completeAfter: number) {
    this.completeAfter = completeAfter;
  }

  push(event: CacheEvent): void {
    this.#events.push(event);
    this.#bytes += heldBy(event);
    this.trim(event.atMs);
  }

  /** Puts the events after `revision` before those that it holds; false, and without effect, where they are too many. */
  prepend(events: readonly CacheEvent[], revision: number): boolean {
    if (revision >= this.completeAfter) return true;
    const bytes = events.reduce((sum, event) => sum + heldBy(event), this.#bytes);
    const kept = this.#events.slice(this.#start);
    if (bytes > keptBytesMax || kept.length + events.length > keptEventsMax) return false;
    this.#events = [...events, ...kept];
    this.#start = 0;
    this.#bytes = bytes;
    this.completeAfter = revision;
    return true;
  }

  /** Forgets what is old, as of `nowMs`; answers whether there is more that will be. */
  trim(nowMs: number): boolean {
    while (this.#isDispensable(nowMs)) {
      const event = this.#events[this.#start]!;
      this.#events[this.#start] = undefined;
      this.#bytes -= heldBy(event);
      this.completeAfter = event.revision;
      this.#start += 1;
      forget(event);
    }
    if (this.#start > 1024 && this.#start * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#start);
      this.#start = 0;
    }
    return this.#events.length - this.#start > keptEventsMin;
  }

  /** The events after `revision`, oldest first; undefined where some of them are forgotten. */
  after(revision: number): readonly CacheEvent[] | undefined {
    if (revision < this.completeAfter) return undefined;
    let low = this.#start;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#events[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#events.slice(low) as CacheEvent[];
  }

  /** Forgets everything: from now on, only what is pushed after `revision` is known. */
  reset(revision: number): void {
    for (let index = this.#start; index < this.#events.length; index += 1) forget(this.#events[index]!);
    this.#events = [];
    this.#start = 0;
    this.#bytes = 0;
    this.completeAfter = revision;
  }

  #isDispensable(nowMs: number): boolean {
    const length = this.#events.length - this.#start;
    if (length > keptEventsMax || this.#bytes > keptBytesMax) return true;
    return length > keptEventsMin && nowMs - this.#events[this.#start]!.atMs > keptMs;
  }
}

const heldBy = ({ previous }: CacheEvent): number => previous?.byteLength ?? 0;

/** What was replaced is nowhere else. */
function forget({ object, previous }: CacheEvent): void {
  previous?.release();
  object.tidy();
}
