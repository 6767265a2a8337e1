import type { Clock } from '@kubernode/machinery';

/** One request that is answered at the moment, and no stream. */
export interface InFlightRequest {
  readonly atMs: number;
  readonly expire: () => void;
  readonly cancel: (() => void) | undefined;
}

/**
 * The requests that are under way: what a shutdown waits for, and each cut when its time is up. Most have the same time
 * limit, so one timer, for the oldest, serves them all.
 */
export class InFlight {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** In the order of their time: those with the usual limit. */
  readonly #usual = new Set<InFlightRequest>();
  readonly #others = new Set<InFlightRequest>();
  #cancelTimer: (() => void) | undefined;
  #onDrained: (() => void)[] = [];

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** `expire` is called when the request is not ended within `timeoutMs`. */
  begin(timeoutMs: number, expire: () => void): InFlightRequest {
    const atMs = this.#clock.now() + timeoutMs;
    if (timeoutMs !== this.#timeoutMs) {
      const other = { atMs, expire, cancel: this.#clock.after(timeoutMs, expire) };
      this.#others.add(other);
      return other;
    }
    const request = { atMs, expire, cancel: undefined };
    this.#usual.add(request);
    if (!this.#cancelTimer) this.#arm(timeoutMs);
    return request;
  }

  end(request: InFlightRequest): void {
    request.cancel?.();
    if (!this.#usual.delete(request)) this.#others.delete(request);
    if (this.#onDrained.length > 0 && this.#isEmpty) for (const resolve of this.#onDrained.splice(0)) resolve();
  }

  /** Resolves when nothing is under way. */
  async drained(): Promise<void> {
    if (!this.#isEmpty) await new Promise<void>((resolve) => this.#onDrained.push(resolve));
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  get #isEmpty(): boolean {
    return this.#usual.size === 0 && this.#others.size === 0;
  }

  #arm(delayMs: number): void {
    this.#cancelTimer = this.#clock.after(delayMs, () => {
      this.#cancelTimer = undefined;
      const now = this.#clock.now();
      for (const request of this.#usual) {
        if (request.atMs > now) {
          this.#arm(request.atMs - now);
          return;
        }
        this.#usual.delete(request);
        this.#others.add(request);
        request.expire();
      }
    });
  }
}
