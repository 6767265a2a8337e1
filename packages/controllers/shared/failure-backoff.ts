export interface FailureBackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
}

/** How long to wait after each failure of a key: doubled each time, forgotten after twice the longest wait. */
export class FailureBackoff {
  readonly #options: FailureBackoffOptions;
  readonly #entries = new Map<string, { delayMs: number; lastMs: number }>();
  #sweptMs = 0;

  constructor(options: FailureBackoffOptions) {
    this.#options = options;
  }

  /** 0 or less: try again. */
  remainingMs(key: string, nowMs: number): number {
    const entry = this.#entries.get(key);
    return entry ? entry.lastMs + entry.delayMs - nowMs : 0;
  }

  failed(key: string, nowMs: number): void {
    this.#sweep(nowMs);
    const { initialMs, maxMs } = this.#options;
    const before = this.#entries.get(key)?.delayMs;
    const delayMs = before === undefined ? initialMs : Math.min(maxMs, before * 2);
    this.#entries.set(key, { delayMs, lastMs: nowMs });
  }

  #sweep(nowMs: number): void {
    const quietMs = 2 * this.#options.maxMs;
    if (nowMs - this.#sweptMs < quietMs) return;
    this.#sweptMs = nowMs;
    for (const [key, { lastMs }] of this.#entries) if (nowMs - lastMs > quietMs) this.#entries.delete(key);
  }
}
