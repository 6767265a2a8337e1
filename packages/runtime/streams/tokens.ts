import { randomBytes } from 'node:crypto';
import type { Clock } from '@kubernode/machinery';

/** How long a URL waits for its one visitor. */
const lifetimeMs = 60_000;
/** Requests that may wait at a time: more point to a caller that never visits. */
const waitingMax = 1000;

/** Requests that wait for their one-time URL to be visited. */
export class Tokens<Request> {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, { request: Request; cancel: () => void }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws where too many wait already. */
  add(request: Request): string {
    if (this.#waiting.size >= waitingMax) throw new Error('maximum number of in-flight requests exceeded');
    const token = randomBytes(18).toString('base64url');
    const cancel = this.#clock.after(lifetimeMs, () => this.#waiting.delete(token));
    this.#waiting.set(token, { request, cancel });
    return token;
  }

  /** The request of a token, once. */
  take(token: string): Request | undefined {
    const waiting = this.#waiting.get(token);
    this.#waiting.delete(token);
    waiting?.cancel();
    return waiting?.request;
  }

  clear(): void {
    for (const { cancel } of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }
}
