interface Waiter {
  readonly revision: number;
  readonly resolve: () => void;
}

/** Those who wait for a revision that is still to come. */
export class RevisionWaiters {
  readonly #waiting = new Set<Waiter>();

  get size(): number {
    return this.#waiting.size;
  }

  /** Calls back once `revision` is reached, or nothing more will come; answers the way to wait no longer. */
  add(revision: number, resolve: () => void): () => void {
    const waiter = { revision, resolve };
    this.#waiting.add(waiter);
    return () => this.#waiting.delete(waiter);
  }

  /** Everything up to `revision` is there. */
  reach(revision: number): void {
    for (const waiter of this.#waiting) {
      if (waiter.revision > revision) continue;
      this.#waiting.delete(waiter);
      waiter.resolve();
    }
  }
}
