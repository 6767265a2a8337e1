import type { Clock } from './clock.ts';

export interface TokenBucketOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Tokens that flow in. */
  readonly perSecond: number;
  /** The most that the bucket holds; it starts full. */
  readonly burst: number;
}

/** A rate limit: a steady rate with bursts. */
export class TokenBucket {
  readonly #options: TokenBucketOptions;
  #tokens: number;
  #atMs: number;

  constructor(options: TokenBucketOptions) {
    this.#options = options;
    this.#tokens = options.burst;
    this.#atMs = options.clock.now();
  }

  /** Takes `count` tokens if they are there. */
  tryTake(count = 1): boolean {
    this.#refill();
    if (this.#tokens < count) return false;
    this.#tokens -= count;
    return true;
  }

  /** Takes `count` tokens in any case and answers how long to wait before using them. */
  reserve(count = 1): number {
    this.#refill();
    this.#tokens -= count;
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens * 1000) / this.#options.perSecond);
  }

  #refill(): void {
    const nowMs = this.#options.clock.now();
    const elapsedMs = Math.max(0, nowMs - this.#atMs);
    this.#atMs = nowMs;
    this.#tokens = Math.min(this.#options.burst, this.#tokens + (elapsedMs * this.#options.perSecond) / 1000);
  }
}
