import type { Clock } from './clock.ts';

/** A map that forgets its oldest entry when it is full: for what is remembered by keys that clients choose. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #entriesMax: number;

  constructor(entriesMax: number) {
    super();
    this.#entriesMax = entriesMax;
  }

  override set(key: Key, value: Value): this {
    super.set(key, value);
    if (this.size > this.#entriesMax) this.delete(this.keys().next().value!);
    return this;
  }
}

/** A bounded map whose entries end: for answers that are good for a while. */
export class ExpiringMap<Key, Value extends object> {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #entries: BoundedMap<Key, { readonly value: Value; readonly untilMs: number }>;

  constructor(clock: Pick<Clock, 'now'>, entriesMax: number) {
    this.#clock = clock;
    this.#entries = new BoundedMap(entriesMax);
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (this.#clock.now() < entry.untilMs) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Not at all where `forMs` is not above 0. */
  set(key: Key, value: Value, forMs: number): void {
    // Anew, at the end: it is the youngest now.
    this.#entries.delete(key);
    if (forMs > 0) this.#entries.set(key, { value, untilMs: this.#clock.now() + forMs });
  }
}
