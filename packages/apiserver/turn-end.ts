/** What is done when the event loop has looked at all connections that had something to read. */
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
