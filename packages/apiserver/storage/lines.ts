import type { Clock } from '@kubernode/machinery';

/**
 * When the one before has worked for so long, the next one goes on: the work may wait for something that waits for the next
 * one, such as a webhook.
 */
const patienceMs = 100;

/** Somebody's place in a line. */
interface Place {
  hasBegun: boolean;
  /** Told to the next one, as `onLeft` is. */
  onBegun: (() => void) | undefined;
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
    const place: Place = { hasBegun: false, onBegun: undefined, onLeft: undefined };
    this.#last.set(key, place);
    try {
      if (before) await this.#left(before);
      place.hasBegun = true;
      place.onBegun?.();
      return await work();
    } finally {
      place.onLeft?.();
      if (this.#last.get(key) === place) this.#last.delete(key);
    }
  }

  #left(before: Place): Promise<void> {
    return new Promise((resolve) => {
      let cancel = () => {};
      const losePatience = () => (cancel = this.#clock.after(patienceMs, resolve));
      if (before.hasBegun) losePatience();
      else before.onBegun = losePatience;
      before.onLeft = () => {
        cancel();
        resolve();
      };
    });
  }
}
