import type { Clock } from '@kubernode/machinery';

/**
 * Keys that wait to be reconciled: a key is queued once however often it is added, and is never handed out twice at
 * the same time; what is added while it is worked on comes again after `done`.
 */
export interface WorkQueue {
  add(key: string): void;
  addAfter(key: string, delayMs: number): void;
  /** Adds after a delay that doubles with each call until `forget`. */
  addRateLimited(key: string): void;
  forget(key: string): void;
  /** Failures in a row of a key since `forget`. */
  failures(key: string): number;
  /** The next key, or undefined once the queue is shut down and empty. */
  next(): Promise<string | undefined>;
  done(key: string): void;
  readonly length: number;
  shutDown(): void;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Lengthens each delay by up to a tenth, so that what failed together does not come back together. */
  readonly random: () => number;
  readonly baseDelayMs?: number;
  readonly maxDelayMs?: number;
}

/** Delays as client-go's default controller rate limiter: 5 ms, doubled with each failure, at most 1000 s. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  return new KeyedWorkQueue(options);
}

class KeyedWorkQueue implements WorkQueue {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  /** Ready keys in order; a Set keeps the order and the uniqueness. */
  readonly #ready = new Set<string>();
  readonly #working = new Set<string>();
  /** Added while being worked on. */
  readonly #again = new Set<string>();
  readonly #delayed = new Map<string, { readonly atMs: number; readonly cancel: () => void }>();
  readonly #failures = new Map<string, number>();
  #waiters: ((key: string | undefined) => void)[] = [];
  #shutDown = false;

  constructor({ clock, random, baseDelayMs = 5, maxDelayMs = 1_000_000 }: WorkQueueOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#baseDelayMs = baseDelayMs;
    this.#maxDelayMs = maxDelayMs;
  }

  get length(): number {
    return this.#ready.size;
  }

  add(key: string): void {
    if (this.#shutDown) return;
    if (this.#working.has(key)) {
      this.#again.add(key);
      return;
    }
    if (this.#ready.has(key)) return;
    const waiter = this.#waiters.shift();
    if (!waiter) {
      this.#ready.add(key);
      return;
    }
    this.#working.add(key);
    waiter(key);
  }

  addAfter(key: string, delayMs: number): void {
    if (this.#shutDown) return;
    if (delayMs <= 0) return this.add(key);
    const atMs = this.#clock.now() + delayMs;
    const pending = this.#delayed.get(key);
    if (pending && pending.atMs <= atMs) return;
    pending?.cancel();
    const cancel = this.#clock.after(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { atMs, cancel });
  }

  addRateLimited(key: string): void {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    const delayMs = Math.min(this.#maxDelayMs, this.#baseDelayMs * 2 ** failures);
    this.addAfter(key, delayMs * (1 + this.#random() / 10));
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  next(): Promise<string | undefined> {
    for (const key of this.#ready) {
      this.#ready.delete(key);
      this.#working.add(key);
      return Promise.resolve(key);
    }
    if (this.#shutDown) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  done(key: string): void {
    this.#working.delete(key);
    if (this.#again.delete(key)) this.add(key);
  }

  shutDown(): void {
    this.#shutDown = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    for (const waiter of this.#waiters.splice(0)) waiter(undefined);
  }
}
