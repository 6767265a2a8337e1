import type { StoredObject } from './stored-object.ts';

/**
 * A resource's objects by key and in the order of their keys. Chunks keep insertion cheap (one small splice) and
 * iteration a plain walk over arrays; 100,000 objects are about 400 chunks.
 */
export class SortedObjects {
  readonly #byKey = new Map<string, StoredObject>();
  #chunks: string[][] = [[]];

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): StoredObject | undefined {
    return this.#byKey.get(key);
  }

  set(object: StoredObject): void {
    const known = this.#byKey.has(object.key);
    this.#byKey.set(object.key, object);
    if (known) return;
    const index = this.#chunkOf(object.key);
    const chunk = this.#chunks[index]!;
    chunk.splice(lowerBound(chunk, object.key), 0, object.key);
    if (chunk.length > chunkLengthMax) this.#chunks.splice(index + 1, 0, chunk.splice(chunkLengthMax / 2));
  }

  delete(key: string): void {
    if (!this.#byKey.delete(key)) return;
    const index = this.#chunkOf(key);
    const chunk = this.#chunks[index]!;
    chunk.splice(lowerBound(chunk, key), 1);
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(index, 1);
  }

  /** The objects whose key begins with `prefix` and is greater than `after`, in order. */
  *from(prefix: string, after = ''): Generator<StoredObject> {
    const start = after >= prefix ? after : prefix;
    let index = this.#chunkOf(start);
    let position = lowerBound(this.#chunks[index]!, start);
    for (; index < this.#chunks.length; index += 1, position = 0) {
      const chunk = this.#chunks[index]!;
      for (; position < chunk.length; position += 1) {
        const key = chunk[position]!;
        if (key === after) continue;
        if (!key.startsWith(prefix)) return;
        yield this.#byKey.get(key)!;
      }
    }
  }

  /** How many objects `from` would yield, without a walk over them. */
  count(prefix: string, after = ''): number {
    const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
    return this.#rank(end) - this.#rank(after >= prefix ? `${after}\0` : prefix);
  }

  /** How many keys are smaller. */
  #rank(key: string): number {
    const index = this.#chunkOf(key);
    let rank = lowerBound(this.#chunks[index]!, key);
    for (let before = 0; before < index; before += 1) rank += this.#chunks[before]!.length;
    return rank;
  }

  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      const chunk = this.#chunks[middle]!;
      if (chunk[chunk.length - 1]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const chunkLengthMax = 512;

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
