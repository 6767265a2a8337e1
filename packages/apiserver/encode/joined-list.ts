import type { Content } from '../request.ts';
import { jsonBytes, typeMetaLength } from './forms.ts';
import { mediaTypes } from './negotiate.ts';

type List = Extract<Content, { type: 'list' }>;

const [openBracket, openBrace, comma] = Buffer.from('[{,');
const listEnd = Buffer.from(']}\n');

/** The JSON of a list, of the bytes of its objects: how long it is, and its pieces, each made when it is asked for. */
export class JoinedList {
  readonly contentType = mediaTypes.json;
  readonly length: number;
  readonly #head: Buffer;
  readonly #items: readonly Buffer[];
  /** So much of each item is left out: a list's items do not repeat kind and version, but for custom objects. */
  readonly #cut: number;

  constructor({ resource, objects, metadata }: List) {
    const { kind, apiVersion } = resource;
    this.#head = Buffer.from(
      `{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"items":${objects.length > 0 ? '' : '['}`,
    );
    // The last byte that is left out makes room for the brace that begins the item.
    this.#cut = resource.custom ? 0 : typeMetaLength(resource) - 1;
    let length = this.#head.length + listEnd.length;
    this.#items = objects.map((object) => {
      const bytes = jsonBytes(object, resource);
      length += this.#lengthOf(bytes);
      return bytes;
    });
    this.length = length;
  }

  /** Into memory of that length, or fresh one. */
  whole(into: Buffer = Buffer.allocUnsafe(this.length)): Buffer {
    return this.#piece(0, this.#items.length, into);
  }

  /** Pieces of whole items, of at least so many bytes but the last one. */
  *pieces(bytesMin: number): Generator<Buffer> {
    let first = 0;
    let length = this.#head.length;
    for (let end = 0; end < this.#items.length; end += 1) {
      if (length >= bytesMin) {
        yield this.#piece(first, end, Buffer.allocUnsafe(length));
        first = end;
        length = 0;
      }
      length += this.#lengthOf(this.#items[end]!);
    }
    yield this.#piece(first, this.#items.length, Buffer.allocUnsafe(length + listEnd.length));
  }

  /** With the comma or bracket before it. */
  #lengthOf(item: Buffer): number {
    return 1 + item.length - this.#cut;
  }

  #piece(first: number, end: number, piece: Buffer): Buffer {
    let at = first === 0 ? this.#head.copy(piece) : 0;
    for (let index = first; index < end; index += 1) {
      piece[at] = index === 0 ? openBracket! : comma!;
      at += 1;
      const copied = this.#items[index]!.copy(piece, at, this.#cut);
      if (this.#cut > 0) piece[at] = openBrace!;
      at += copied;
    }
    if (end === this.#items.length) listEnd.copy(piece, at);
    return piece;
  }
}
