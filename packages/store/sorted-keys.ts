/**
 * Keys in byte order (of UTF-8, as etcd and SQLite order them), in chunks: insert, remove and seek cost
 * O(log n + chunk), a range costs what it yields.
 */
export class SortedKeys {
  #chunks: string[][] = [[]];
  #compare = compareCodeUnits;

  /** Whether the key was not there before. */
  add(key: string): boolean {
    // UTF-16's order differs from UTF-8's only where a key holds a character beyond U+D7FF; such keys are rare, and
    // without them both orders agree, so the costlier comparison starts with the first of them.
    if (this.#compare === compareCodeUnits && beyondCommonOrder.test(key)) this.#compare = compareBytes;
    const at = this.#chunkFor(key);
    const chunk = this.#chunks[at]!;
    const index = this.#lowerBound(chunk, key);
    if (chunk[index] === key) return false;
    chunk.splice(index, 0, key);
    if (chunk.length > chunkLengthMax) this.#chunks.splice(at + 1, 0, chunk.splice(chunkLengthMax >> 1));
    return true;
  }

  delete(key: string): boolean {
    const at = this.#chunkFor(key);
    const chunk = this.#chunks[at]!;
    const index = this.#lowerBound(chunk, key);
    if (chunk[index] !== key) return false;
    chunk.splice(index, 1);
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(at, 1);
    return true;
  }

  /** Keys from `from` (inclusive) to `to` (exclusive). The keys must not change while this is read. */
  *range(from: string, to: string): Generator<string, void> {
    let at = this.#chunkFor(from);
    let index = this.#lowerBound(this.#chunks[at]!, from);
    for (; at < this.#chunks.length; at++, index = 0) {
      const chunk = this.#chunks[at]!;
      const whole = chunk.length > 0 && this.#compare(chunk[chunk.length - 1]!, to) < 0;
      const end = whole ? chunk.length : this.#lowerBound(chunk, to);
      for (; index < end; index++) yield chunk[index]!;
      if (!whole && chunk.length > 0) return;
    }
  }

  /** Index of the last chunk whose first key is not after `key`. */
  #chunkFor(key: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#compare(this.#chunks[middle]![0]!, key) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #lowerBound(chunk: readonly string[], key: string): number {
    let low = 0;
    let high = chunk.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(chunk[middle]!, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const chunkLengthMax = 256;
const beyondCommonOrder = /[\ud800-\uffff]/;

function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The order of the keys' UTF-8 bytes: surrogates, which stand for U+10000 and beyond, come last. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    return rank(x) - rank(y);
  }
  return a.length - b.length;
}

const rank = (unit: number) => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x10000 : unit);
