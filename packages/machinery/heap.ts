export interface HeapOptions<T> {
  /** Negative where `a` comes out before `b`. */
  readonly compare: (a: T, b: T) => number;
  /** What makes two items the same item; without it every item is its own. */
  readonly key?: (item: T) => unknown;
}

/** A priority queue: push and pop in O(log n), and by key also look-up in O(1), update and removal in O(log n). */
export class Heap<T> {
  readonly #compare: (a: T, b: T) => number;
  readonly #keyOf: (item: T) => unknown;
  readonly #items: T[] = [];
  readonly #positions = new Map<unknown, number>();

  constructor(options: HeapOptions<T>) {
    this.#compare = options.compare;
    this.#keyOf = options.key ?? ((item) => item);
  }

  get size(): number {
    return this.#items.length;
  }

  /** Adds the item, or puts it in place of the one with its key. */
  push(item: T): void {
    const position = this.#positions.get(this.#keyOf(item)) ?? this.#items.length;
    this.#place(item, position);
    this.#sink(this.#rise(position));
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  pop(): T | undefined {
    const first = this.#items[0];
    if (this.#items.length > 0) this.#removeAt(0);
    return first;
  }

  get(key: unknown): T | undefined {
    const position = this.#positions.get(key);
    return position === undefined ? undefined : this.#items[position];
  }

  has(key: unknown): boolean {
    return this.#positions.has(key);
  }

  /** Takes the item with that key out; undefined where there is none. */
  delete(key: unknown): T | undefined {
    const position = this.#positions.get(key);
    if (position === undefined) return undefined;
    const item = this.#items[position];
    this.#removeAt(position);
    return item;
  }

  /** All items, in no order. */
  values(): readonly T[] {
    return [...this.#items];
  }

  clear(): void {
    this.#items.length = 0;
    this.#positions.clear();
  }

  #removeAt(position: number): void {
    this.#positions.delete(this.#keyOf(this.#items[position] as T));
    const last = this.#items.pop() as T;
    if (position === this.#items.length) return;
    this.#place(last, position);
    this.#sink(this.#rise(position));
  }

  #place(item: T, position: number): void {
    this.#items[position] = item;
    this.#positions.set(this.#keyOf(item), position);
  }

  #rise(start: number): number {
    const item = this.#items[start] as T;
    let position = start;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      const above = this.#items[parent] as T;
      if (this.#compare(item, above) >= 0) break;
      this.#place(above, position);
      position = parent;
    }
    if (position !== start) this.#place(item, position);
    return position;
  }

  #sink(start: number): void {
    const item = this.#items[start] as T;
    let position = start;
    for (;;) {
      let child = 2 * position + 1;
      if (child >= this.#items.length) break;
      if (child + 1 < this.#items.length) {
        if (this.#compare(this.#items[child + 1] as T, this.#items[child] as T) < 0) child += 1;
      }
      const below = this.#items[child] as T;
      if (this.#compare(below, item) >= 0) break;
      this.#place(below, position);
      position = child;
    }
    if (position !== start) this.#place(item, position);
  }
}
