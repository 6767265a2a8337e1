/**
 * How long something that keeps failing has to wait: doubles from `initialMs` to `maxMs` with each failure, forgotten
 * after `2 * maxMs` of quiet (upstream: client-go flowcontrol.Backoff). Pure state; time is handed in.
 */
export class FailureBackoff {
  readonly #initialMs: number;
  readonly #maxMs: number;
  readonly #entries = new Map<string, { delayMs: number; updatedAtMs: number }>();

  constructor({ initialMs, maxMs }: { readonly initialMs: number; readonly maxMs: number }) {
    this.#initialMs = initialMs;
    this.#maxMs = maxMs;
  }

  /** The current delay; 0 when nothing failed yet. */
  delayMs(key: string): number {
    return this.#entries.get(key)?.delayMs ?? 0;
  }

  /** Milliseconds still to wait, counted from `eventMs` (a container's end, say); 0: go ahead. */
  remainingMs(key: string, eventMs: number, nowMs: number): number {
    const entry = this.#entries.get(key);
    if (!entry || this.#expired(eventMs, entry.updatedAtMs)) return 0;
    return Math.max(0, eventMs + entry.delayMs - nowMs);
  }

  /** Notes one more try after an event at `eventMs`. */
  next(key: string, eventMs: number, nowMs: number): void {
    const entry = this.#entries.get(key);
    const delayMs =
      !entry || this.#expired(eventMs, entry.updatedAtMs) ? this.#initialMs : Math.min(entry.delayMs * 2, this.#maxMs);
    this.#entries.set(key, { delayMs, updatedAtMs: nowMs });
  }

  /** Forgets every key that begins with `prefix`: the pod is gone. */
  forget(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }

  #expired(eventMs: number, updatedAtMs: number): boolean {
    return eventMs - updatedAtMs > 2 * this.#maxMs;
  }
}
