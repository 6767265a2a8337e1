import type { StoredObject } from './stored-object.ts';

/** So many objects from a place on, and how many more there are. */
interface Page {
  readonly objects: readonly StoredObject[];
  readonly remaining: number;
}

/** Longer pages are not held for the next reader. */
const heldObjectsMax = 10_000;

/**
 * A resource's objects by key and in the order of their keys. Chunks keep insertion cheap (one small splice) and
 * iteration a plain walk over arrays; 100,000 objects are about 400 chunks.
 */
export class SortedObjects {
  readonly #byKey = new Map<string, StoredObject>();
  readonly #chunks: StoredObject[][] = [[]];
  /** The last page that was read, until something changes: many readers ask for the same. */
  #latest: (Page & { readonly prefix: string; readonly after: string; readonly limit: number }) | undefined;

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): StoredObject | undefined {
    return this.#byKey.get(key);
  }

  /** Answers the object that was there before. */
  set(object: StoredObject): StoredObject | undefined {
    this.#latest = undefined;
    const { key } = object;
    const index = this.#chunkOf(key);
    const chunk = this.#chunks[index]!;
    const position = lowerBound(chunk, key);
    const previous = chunk[position];
    this.#byKey.set(key, object);
    if (previous?.key === key) {
      chunk[position] = object;
      return previous;
    }
    chunk.splice(position, 0, object);
    // Most keys come in order: what is full then stays full.
    const half = position === chunkLengthMax ? chunkLengthMax : chunkLengthMax / 2;
    if (chunk.length > chunkLengthMax) this.#chunks.splice(index + 1, 0, chunk.splice(half));
    return undefined;
  }

  delete(key: string): void {
    if (!this.#byKey.delete(key)) return;
    this.#latest = undefined;
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
        const object = chunk[position]!;
        if (object.key === after) continue;
        if (!object.key.startsWith(prefix)) return;
        yield object;
      }
    }
  }

  /** The first of what `from` yields, all where `limit` is 0 or less; the same array for all who ask before a change. */
  page(prefix: string, after: string, limit: number): Page {
    const latest = this.#latest;
    if (latest?.prefix === prefix && latest.after === after && latest.limit === limit) return latest;
    const objects: StoredObject[] = [];
    for (const object of this.from(prefix, after)) {
      objects.push(object);
      if (objects.length === limit) break;
    }
    const page = { prefix, after, limit, objects, remaining: this.count(prefix, after) - objects.length };
    if (objects.length <= heldObjectsMax) this.#latest = page;
    return page;
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
