/** What is done when the event loop has looked at all connections that had something to read. */
export class TurnEnd {
  #callbacks: (() => void)[] = [];
  #over: Promise<void> | undefined;

  /** Calls back once, in the order of the calls. */
  after(callback: () => void): void {
    if (this.#callbacks.push(callback) === 1) setImmediate(this.#run);
  }

  /** Resolves then: one promise for all who ask in this turn. */
  over(): Promise<void> {
    this.#over ??= new Promise((resolve) => {
      this.after(() => {
        this.#over = undefined;
        resolve();
      });
    });
    return this.#over;
  }

  readonly #run = (): void => {
    const callbacks = this.#callbacks;
    this.#callbacks = [];
    for (const callback of callbacks) callback();
  };
}
