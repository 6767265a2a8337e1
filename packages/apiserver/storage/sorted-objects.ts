import type { StoredObject } from './stored-object.ts';

/**
 * A resource's objects by key and in the order of their keys. Chunks keep insertion cheap (one small splice) and
 * iteration a plain walk over arrays; 100,000 objects are about 400 chunks.
 */
export class SortedObjects {
  readonly #byKey = new Map<string, StoredObject>();
  #chunks: StoredObject[][] = [[]];

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): StoredObject | undefined {
    return this.#byKey.get(key);
  }

  set(object: StoredObject): void {
    const { key } = object;
    const index = this.#chunkOf(key);
    const chunk = this.#chunks[index]!;
    const position = lowerBound(chunk, key);
    const isKnown = this.#byKey.has(key);
    this.#byKey.set(key, object);
    if (isKnown) {
      chunk[position] = object;
      return;
    }
    chunk.splice(position, 0, object);
    // Most keys come in order: what is full then stays full.
    const half = position === chunkLengthMax ? chunkLengthMax : chunkLengthMax / 2;
    if (chunk.length > chunkLengthMax) this.#chunks.splice(index + 1, 0, chunk.splice(half));
  }

  delete(key: string): void {
    if (!this.#byKey.delete(key)) return;
    const index = this.#chunkOf(key);
    const chunk = this.#chunks[index]!;
    chunk.splice(lowerBound(chunk, key), 1);
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(index, 1);
  }

  clear(): void {
    this.#byKey.clear();
    this.#chunks = [[]];
  }

  /** The objects whose key begins with `prefix` and is greater than `after`, in order. */
  *from(prefix: string, after = ''): Generator<StoredObject> {
    const start = after >= prefix ? after : prefix;
    let index = this.#chunkOf(start);
    let position = lowerBound(this.#chunks[index]!, start);
    for (; index < this.#chunks.length; index += 1, position = 0) {
      const chunk = this.#chunks[index]!;
      for (; position < chunk.length; position += 1) {
        const object = chunk[position]!;
        if (object.key === after) continue;
        if (!object.key.startsWith(prefix)) return;
        yield object;
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
      if (chunk[chunk.length - 1]!.key < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const chunkLengthMax = 512;

function lowerBound(objects: readonly StoredObject[], key: string): number {
  let low = 0;
  let high = objects.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (objects[middle]!.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
