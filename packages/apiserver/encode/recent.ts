/**
 * What is known of objects beside themselves, for those that were asked for lately: of so many at least, of twice as many
 * at most, whatever there are. It goes with its object, too.
 */
export class Recent<K extends object, V> {
  readonly #countMin: number;
  #now = new WeakMap<K, V>();
  #before = new WeakMap<K, V>();
  #count = 0;

  constructor(countMin: number) {
    this.#countMin = countMin;
  }

  get(key: K): V | undefined {
    const known = this.#now.get(key);
    if (known !== undefined) return known;
    const old = this.#before.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#count >= this.#countMin) {
      this.#before = this.#now;
      this.#now = new WeakMap();
      this.#count = 0;
    }
    this.#now.set(key, value);
    this.#count += 1;
  }
}
