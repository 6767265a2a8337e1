import type { Clock } from '@kubernode/machinery';

/** One request that is answered at the moment, and no stream; a link of the list of all of them. */
export interface InFlightRequest {
  /** When its time is up. */
  atMs: number;
  /** Of one whose time is its own. */
  cancel: (() => void) | undefined;
  previous: InFlightRequest | undefined;
  next: InFlightRequest | undefined;
  /** Its time is up. */
  expire(): void;
}

/**
 * The requests that are under way: what a shutdown waits for, and each cut when its time is up. Most have the same time
 * limit, so one timer, for the oldest, serves them all.
 */
export class InFlight {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #count = 0;
  /** Those with the usual limit, in the order of their time. */
  #oldest: InFlightRequest | undefined;
  #newest: InFlightRequest | undefined;
  #cancelTimer: (() => void) | undefined;
  #onDrained: (() => void)[] = [];

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** `expire` is called when the request is not ended within `timeoutMs`. */
  begin(request: InFlightRequest, timeoutMs: number): void {
    this.#count += 1;
    request.atMs = this.#clock.now() + timeoutMs;
    if (timeoutMs !== this.#timeoutMs) {
      request.cancel = this.#clock.after(timeoutMs, () => request.expire());
      return;
    }
    request.previous = this.#newest;
    if (this.#newest) this.#newest.next = request;
    else this.#oldest = request;
    this.#newest = request;
    if (!this.#cancelTimer) this.#arm(timeoutMs);
  }

  /** Once. */
  end(request: InFlightRequest): void {
    this.#count -= 1;
    if (request.cancel) request.cancel();
    else this.#unlink(request);
    if (this.#onDrained.length > 0 && this.#count === 0) for (const resolve of this.#onDrained.splice(0)) resolve();
  }

  /** Resolves when nothing is under way. */
  async drained(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#onDrained.push(resolve));
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #unlink(request: InFlightRequest): void {
    const { previous, next } = request;
    if (previous) previous.next = next;
    else if (this.#oldest === request) this.#oldest = next;
    if (next) next.previous = previous;
    else if (this.#newest === request) this.#newest = previous;
    request.previous = undefined;
    request.next = undefined;
  }

  #arm(delayMs: number): void {
    this.#cancelTimer = this.#clock.after(delayMs, () => {
      this.#cancelTimer = undefined;
      const now = this.#clock.now();
      // The clock was set back: the time of those that are under way begins anew.
      for (let each = this.#oldest; each && each.atMs - now > this.#timeoutMs; each = each.next) {
        each.atMs = now + this.#timeoutMs;
      }
      while (this.#oldest && this.#oldest.atMs <= now) {
        const late = this.#oldest;
        this.#unlink(late);
        late.expire();
      }
      if (this.#oldest) this.#arm(this.#oldest.atMs - now);
    });
  }
}
