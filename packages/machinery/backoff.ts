import type { Random } from './random.ts';

export interface BackoffOptions {
  /** The first delay. */
  readonly initialMs: number;
  /** No delay is longer (before jitter). */
  readonly maxMs: number;
  /** What each delay is multiplied by for the next; 2 unless given. */
  readonly factor?: number;
  /** Up to this share of the delay is added by chance; 0 unless given. */
  readonly jitter?: number;
  readonly random?: Random;
  /** After this long without a failure the next one starts again from `initialMs`; needs `next(nowMs)`. */
  readonly resetAfterMs?: number;
}

/** The delays between attempts that keep failing: 1, 2, 4 … times `initialMs` up to `maxMs`. */
export class Backoff {
  readonly #options: BackoffOptions;
  #delayMs: number;
  #lastMs = Number.NEGATIVE_INFINITY;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#delayMs = options.initialMs;
  }

  /** How many delays were handed out since the start or the last reset. */
  get failures(): number {
    return this.#failures;
  }

  /** The delay before the next attempt. */
  next(nowMs?: number): number {
    const { initialMs, maxMs, factor = 2, jitter = 0, random = Math.random, resetAfterMs } = this.#options;
    if (nowMs !== undefined) {
      if (resetAfterMs !== undefined && nowMs - this.#lastMs > resetAfterMs) this.reset();
      this.#lastMs = nowMs;
    }
    const delayMs = Math.min(this.#delayMs, maxMs);
    this.#delayMs = Math.min(Math.max(delayMs, initialMs) * factor, maxMs);
    this.#failures += 1;
    return jitter > 0 ? delayMs * (1 + jitter * random()) : delayMs;
  }

  /** After a success: the next failure starts again from `initialMs`. */
  reset(): void {
    this.#delayMs = this.#options.initialMs;
    this.#failures = 0;
  }
}
