import type { Clock } from '@kubernode/machinery';

/** Who has waited so long goes on: the one before may wait for something that waits for this one, such as a webhook. */
const patienceMs = 50;

/** Somebody's place in a line. */
interface Place {
  /** Told to the next one. */
  onLeft: (() => void) | undefined;
}

/**
 * A line before each key. Who changes the same object at the same time would find, having done all the work, that somebody
 * else was faster, and begin again; in line each finds what the one before has made of it. A line saves work and nothing else:
 * nobody relies on being alone.
 */
export class Lines {
  readonly #clock: Clock;
  /** The last place of each line, as long as it is taken. */
  readonly #last = new Map<string, Place>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does the work when it is its turn. */
  async inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    const place: Place = { onLeft: undefined };
    this.#last.set(key, place);
    try {
      if (before) await this.#left(before);
      return await work();
    } finally {
      place.onLeft?.();
      if (this.#last.get(key) === place) this.#last.delete(key);
    }
  }

  #left(before: Place): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(patienceMs, resolve);
      before.onLeft = () => {
        cancel();
        resolve();
      };
    });
  }
}
