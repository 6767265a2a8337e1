/** Time is handed in: production gives `systemClock`, a test or a simulation a `FakeClock`. */
export interface Clock {
  /** Wall time, milliseconds since the epoch. */
  now(): number;
  /** As `now`, with fractions of a millisecond; goes back only where the clock was set. Absent where it has none. */
  precise?(): number;
  /** Calls back once after `delayMs`; the answer cancels it. Does not keep the process alive. */
  after(delayMs: number, callback: () => void): () => void;
}

/** For times that are shown with six digits of a second (MicroTime). */
export const preciseNow = (clock: Clock): number => clock.precise?.() ?? clock.now();

/** The monotonic clock runs on where the wall clock is set: farther apart than this, the wall clock is right. */
const driftMsMax = 2;
let originMs = performance.timeOrigin;
let lastMs = 0;

/** Of the same moment: again, where the process was held up between the two. */
function bothClocks(): readonly [wallMs: number, elapsedMs: number] {
  const elapsedMs = performance.now();
  const wallMs = Date.now();
  return performance.now() - elapsedMs < driftMsMax / 2 ? [wallMs, elapsedMs] : bothClocks();
}

export const systemClock: Clock = {
  now: () => Date.now(),
  precise() {
    const [wallMs, elapsedMs] = bothClocks();
    if (Math.abs(originMs + elapsedMs - wallMs) > driftMsMax) {
      originMs = wallMs - elapsedMs;
      lastMs = 0;
    }
    lastMs = Math.max(lastMs, originMs + elapsedMs);
    return lastMs;
  },
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(delayMs, timeoutMsMax));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** The longest delay that a Node timer takes. */
const timeoutMsMax = 2_147_483_647;

/** Resolves after `delayMs` on `clock`; rejects with the signal's reason when aborted first. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** A clock that stands still until `advance` is called; callbacks run in the order of their time. */
export class FakeClock implements Clock {
  #nowMs: number;
  #pending: { atMs: number; callback: () => void }[] = [];

  constructor(startMs = Date.parse('2026-01-01T00:00:00Z')) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const entry = { atMs: this.#nowMs + Math.max(0, delayMs), callback };
    this.#pending.push(entry);
    return () => {
      this.#pending = this.#pending.filter((other) => other !== entry);
    };
  }

  /** Moves time on, running what falls due on the way; lets promises settle between callbacks. */
  async advance(byMs: number): Promise<void> {
    const targetMs = this.#nowMs + byMs;
    for (;;) {
      await new Promise(setImmediate);
      const due = this.#pending.filter((entry) => entry.atMs <= targetMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (!due) break;
      this.#pending = this.#pending.filter((entry) => entry !== due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.callback();
    }
    this.#nowMs = targetMs;
    await new Promise(setImmediate);
  }
}
