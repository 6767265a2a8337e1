import type { Clock } from '@kubernode/machinery';

/** An alarm clock for one sleeper: rings at once or at the earliest time asked for, and never twice for one reason. */
export class WakeUp {
  readonly #clock: Clock;
  #ringing = false;
  #stopped = false;
  #ring: (() => void) | undefined;
  #alarmAtMs = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): void {
    this.#ringing = true;
    this.#ring?.();
  }

  /** The earliest of several alarms counts; what rings forgets the others, whoever wakes sets them anew. */
  in(delayMs: number): void {
    const atMs = this.#clock.now() + delayMs;
    if (atMs >= this.#alarmAtMs) return;
    this.#cancel?.();
    this.#alarmAtMs = atMs;
    this.#cancel = this.#clock.after(delayMs, () => this.now());
  }

  /** Resolves to true when it is time, to false when stopped. */
  async next(): Promise<boolean> {
    if (!this.#ringing && !this.#stopped) await new Promise<void>((ring) => (this.#ring = ring));
    this.#ring = undefined;
    this.#ringing = false;
    this.#cancel?.();
    this.#alarmAtMs = Number.POSITIVE_INFINITY;
    return !this.#stopped;
  }

  stop(): void {
    this.#stopped = true;
    this.now();
    this.#cancel?.();
  }
}
