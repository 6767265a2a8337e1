/** Who wants to know that something of a pod changed, by its uid. */
export class PodListeners {
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Answers the way to stop. */
  add(podUid: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(podUid) ?? new Set();
    this.#listeners.set(podUid, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(podUid);
    };
  }

  tell(podUid: string): void {
    for (const listener of this.#listeners.get(podUid) ?? []) listener();
  }

  tellAll(): void {
    for (const podUid of this.#listeners.keys()) this.tell(podUid);
  }
}
