/** About so many items are moved when one is put in or taken out; with as many chunks, as many are looked at. */
const chunkLength = 1_024;

/** A long list that items are put into and taken out of at any place, without moving all that come after. */
export class ChunkedList {
  readonly #chunks: unknown[][] = [];
  #length: number;

  constructor(items: readonly unknown[]) {
    this.#length = items.length;
    for (let at = 0; at < items.length; at += chunkLength) this.#chunks.push(items.slice(at, at + chunkLength));
  }

  get length(): number {
    return this.#length;
  }

  at(index: number): unknown {
    const { chunk, offset } = this.#find(index);
    return this.#chunks[chunk]![offset];
  }

  set(index: number, item: unknown): void {
    const { chunk, offset } = this.#find(index);
    this.#chunks[chunk]![offset] = item;
  }

  /** Before the item at `index`; at `length`, behind all. */
  insert(index: number, item: unknown): void {
    const { chunk, offset } = this.#find(index);
    const items = this.#chunks[chunk]!;
    items.splice(offset, 0, item);
    if (items.length > 2 * chunkLength) this.#chunks.splice(chunk + 1, 0, items.splice(chunkLength));
    this.#length += 1;
  }

  remove(index: number): void {
    const { chunk, offset } = this.#find(index);
    const items = this.#chunks[chunk]!;
    items.splice(offset, 1);
    if (items.length === 0 && this.#chunks.length > 1) this.#chunks.splice(chunk, 1);
    this.#length -= 1;
  }

  items(): unknown[] {
    return this.#chunks.flat();
  }

  #find(index: number): { readonly chunk: number; readonly offset: number } {
    let offset = index;
    let chunk = 0;
    const last = this.#chunks.length - 1;
    for (; chunk < last && offset >= this.#chunks[chunk]!.length; chunk += 1) offset -= this.#chunks[chunk]!.length;
    return { chunk, offset };
  }
}
