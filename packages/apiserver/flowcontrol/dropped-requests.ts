const retryAfterSecondsMax = 32;

/**
 * How long clients of one priority level are asked to stay away: a second, twice as long while many are refused all the
 * same, and a second less with each second that few are.
 */
export class DroppedRequests {
  #retryAfterSeconds = 1;
  #raisedAt = 0;
  #second = 0;
  #count = 0;
  #history: { readonly second: number; readonly count: number }[] = [];

  get retryAfterSeconds(): number {
    return this.#retryAfterSeconds;
  }

  record(nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (second === this.#second) {
      this.#count += 1;
      return;
    }
    const keptSeconds = Math.min(2 * this.#retryAfterSeconds, retryAfterSecondsMax);
    this.#history.push({ second: this.#second, count: this.#count });
    this.#history = this.#history.filter((each) => this.#second - each.second <= keptSeconds);
    this.#second = second;
    this.#count = 1;
    this.#adjust(second);
  }

  #adjust(second: number): void {
    const retryAfter = this.#retryAfterSeconds;
    let dropped = 0;
    for (const each of this.#history) {
      if (second - each.second <= retryAfter && each.second < second) dropped += each.count;
    }
    if (second - this.#raisedAt >= retryAfter && dropped >= 3 * retryAfter) {
      this.#retryAfterSeconds = Math.min(2 * retryAfter, retryAfterSecondsMax);
      this.#raisedAt = second;
    } else if (dropped < retryAfter && retryAfter > 1) this.#retryAfterSeconds -= 1;
  }
}
