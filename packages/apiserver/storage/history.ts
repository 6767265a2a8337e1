import type { CacheEvent } from './cache-event.ts';

/** Enough for a client that reconnects: events are kept this long at least, unless there are too many. */
const keptMs = 75_000;
const keptEventsMin = 256;
const keptEventsMax = 20_000;

/** The latest events of one resource, in order of revision, for watches that begin in the past. */
export class History {
  #events: CacheEvent[] = [];
  #start = 0;
  /** Every event after this revision is in the history. */
  completeAfter: number;

  constructor(completeAfter: number) {
    this.completeAfter = completeAfter;
  }

  push(event: CacheEvent): void {
    this.#events.push(event);
    while (this.#isDispensable(event.atMs)) {
      this.completeAfter = this.#events[this.#start]!.revision;
      this.#start += 1;
    }
    if (this.#start > 1024 && this.#start * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#start);
      this.#start = 0;
    }
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
    return this.#events.slice(low);
  }

  /** Forgets everything: from now on, only what is pushed after `revision` is known. */
  reset(revision: number): void {
    this.#events = [];
    this.#start = 0;
    this.completeAfter = revision;
  }

  #isDispensable(nowMs: number): boolean {
    const length = this.#events.length - this.#start;
    if (length > keptEventsMax) return true;
    return length > keptEventsMin && nowMs - this.#events[this.#start]!.atMs > keptMs;
  }
}
