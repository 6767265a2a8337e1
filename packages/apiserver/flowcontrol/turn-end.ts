/**
 * One thread answers requests one after the other, most of them before it looks at the next connection: those whose bytes
 * were there at the same time would never meet, and a limit on how many are answered at a time would limit nothing. So
 * what they took is given back when all that were there were looked at: at the end of the turn of the event loop.
 */
export class TurnEnd {
  #callbacks: (() => void)[] = [];

  /** Calls back once, in the order of the calls. */
  after(callback: () => void): void {
    if (this.#callbacks.push(callback) === 1) setImmediate(this.#run);
  }

  readonly #run = (): void => {
    const callbacks = this.#callbacks;
    this.#callbacks = [];
    for (const callback of callbacks) callback();
  };
}
