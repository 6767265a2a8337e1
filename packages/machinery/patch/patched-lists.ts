import { ChunkedList } from './chunked-list.ts';

type List = unknown[];

/** Longer lists are changed in chunks, until they are shorter again. */
const longMin = 4_096;
const longEnd = longMin / 2;

/**
 * The lists of a document while it is patched. A list that is held in chunks is out of date itself until it is settled;
 * who reads what is below a value settles that first.
 */
export class PatchedLists {
  readonly #chunked = new Map<List, ChunkedList>();

  lengthOf(list: List): number {
    return (this.#chunked.get(list) ?? list).length;
  }

  at(list: List, index: number): unknown {
    const chunked = this.#chunked.get(list);
    return chunked ? chunked.at(index) : list[index];
  }

  set(list: List, index: number, item: unknown): void {
    const chunked = this.#chunked.get(list);
    if (chunked) chunked.set(index, item);
    else list[index] = item;
  }

  insert(list: List, index: number, item: unknown): void {
    const chunked = index === list.length ? this.#chunked.get(list) : this.#long(list);
    if (chunked) chunked.insert(index, item);
    else list.splice(index, 0, item);
  }

  remove(list: List, index: number): void {
    const chunked = this.#long(list);
    if (!chunked) list.splice(index, 1);
    else {
      chunked.remove(index);
      // So no short list is held in chunks: what contains one is itself long to read.
      if (chunked.length < longEnd) this.#settle(list);
    }
  }

  /** Brings the lists in a value up to date. */
  settleWithin(value: unknown): void {
    if (this.#chunked.size === 0 || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) this.#settle(value);
    for (const below of Object.values(value)) this.settleWithin(below);
  }

  settleAll(): void {
    for (const list of this.#chunked.keys()) this.#settle(list);
  }

  #long(list: List): ChunkedList | undefined {
    const known = this.#chunked.get(list);
    if (known || list.length < longMin) return known;
    const chunked = new ChunkedList(list);
    this.#chunked.set(list, chunked);
    return chunked;
  }

  #settle(list: List): void {
    const chunked = this.#chunked.get(list);
    if (!chunked) return;
    this.#chunked.delete(list);
    list.length = 0;
    for (const item of chunked.items()) list.push(item);
  }
}
