import type { Clock } from '@kubernode/machinery';

const entriesMax = 1_000;

/** Answers that hold for a while; callers that ask at the same time share one question. Failures are not kept. */
export class TimedCache<T> {
  readonly #clock: Clock;
  readonly #entries = new Map<string, { readonly untilMs: number; readonly answer: Promise<T> }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async get(key: string, ttlMs: number | ((answer: T) => number), ask: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    if (known && known.untilMs > this.#clock.now()) return known.answer;
    const answer = ask();
    this.#entries.delete(key);
    if (this.#entries.size >= entriesMax) this.#entries.delete(this.#entries.keys().next().value as string);
    this.#entries.set(key, { untilMs: Number.POSITIVE_INFINITY, answer });
    try {
      const value = await answer;
      const holdsMs = typeof ttlMs === 'number' ? ttlMs : ttlMs(value);
      this.#entries.set(key, { untilMs: this.#clock.now() + holdsMs, answer });
      return value;
    } catch (error) {
      this.#entries.delete(key);
      throw error;
    }
  }
}
