/** What became of a value over a stretch of time. */
export interface Integrated {
  readonly durationSeconds: number;
  readonly average: number;
  readonly deviation: number;
  readonly max: number;
}

/** Follows a value through time: its average, deviation and height, each moment weighing the same. */
export class Integrator {
  #lastMs: number;
  #value = 0;
  #max = 0;
  #seconds = 0;
  #sum = 0;
  #sumOfSquares = 0;

  constructor(nowMs: number) {
    this.#lastMs = nowMs;
  }

  set(value: number, nowMs: number): void {
    this.#reach(nowMs);
    this.#value = value;
    if (value > this.#max) this.#max = value;
  }

  /** What was since the last time; begins anew. */
  reset(nowMs: number): Integrated {
    this.#reach(nowMs);
    const seconds = this.#seconds;
    const average = seconds > 0 ? this.#sum / seconds : 0;
    const variance = seconds > 0 ? this.#sumOfSquares / seconds - average * average : 0;
    const result = { durationSeconds: seconds, average, deviation: Math.sqrt(Math.max(0, variance)), max: this.#max };
    this.#seconds = 0;
    this.#sum = 0;
    this.#sumOfSquares = 0;
    this.#max = this.#value;
    return result;
  }

  #reach(nowMs: number): void {
    const seconds = (nowMs - this.#lastMs) / 1000;
    if (seconds <= 0) return;
    this.#lastMs = nowMs;
    this.#seconds += seconds;
    this.#sum += this.#value * seconds;
    this.#sumOfSquares += this.#value * this.#value * seconds;
  }
}
