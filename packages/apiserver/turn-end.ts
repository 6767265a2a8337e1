/** What is done when the event loop has looked at all connections that had something to read. */
export class TurnEnd {
  readonly #togetherMax: number;
  readonly #callbacks: (() => void)[] = [];

  /** Of more than `togetherMax`, the others wait for the end of another turn. */
  constructor(togetherMax = Infinity) {
    this.#togetherMax = togetherMax;
  }

  /** Calls back once, in the order of the calls. */
  after(callback: () => void): void {
    if (this.#callbacks.push(callback) === 1) setImmediate(this.#run);
  }

  /** Resolves then. */
  over(): Promise<void> {
    return new Promise((resolve) => this.after(resolve));
  }

  readonly #run = (): void => {
    const callbacks = this.#callbacks.splice(0, this.#togetherMax);
    if (this.#callbacks.length > 0) setImmediate(this.#run);
    for (const callback of callbacks) callback();
  };
}
