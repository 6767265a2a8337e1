const headEnd = '\r\n\r\n';
const lineEnd = '\r\n';
/** Longer ones are read in pieces. */
const textBytesMax = 1_024;

/**
 * Finds where the answers end that come one after the other on a connection of HTTP/1.1, and reads nothing else of them than
 * their code. An answer says how long it is, or comes in chunks without trailers.
 */
export class AnswerReader {
  code = 0;
  /** Of the body that came until now, without what frames it. */
  bytes = 0;
  /** Gets the body, where one is wanted. */
  kept: Buffer[] | undefined;
  #isWhole = true;
  #isInHead = true;
  #isChunked = false;
  #isLastChunk = false;
  /** Of the body, or of the chunk. */
  #missing = 0;
  /** What came of a head or a line, as long as it is not whole. */
  #begun = '';

  /** Reads up to `end`, and keeps nothing of that memory. Answers whether the answer is whole. */
  read(received: Buffer, end: number): boolean {
    let at = 0;
    while (at < end) at = this.#missing > 0 ? this.#readBody(received, at, end) : this.#readText(received, at, end);
    return this.#isWhole;
  }

  #readBody(received: Buffer, at: number, end: number): number {
    const next = Math.min(end, at + this.#missing);
    this.#missing -= next - at;
    this.bytes += next - at;
    this.kept?.push(Buffer.from(received.subarray(at, next)));
    this.#isWhole = this.#missing === 0 && !this.#isChunked;
    return next;
  }

  #readText(received: Buffer, at: number, end: number): number {
    if (this.#isWhole) this.#begin();
    const next = Math.min(end, at + textBytesMax);
    const text = this.#begun + received.toString('latin1', at, next);
    const delimiter = this.#isInHead ? headEnd : lineEnd;
    const length = text.indexOf(delimiter);
    if (length < 0) {
      this.#begun = text;
      return next;
    }
    const begunLength = this.#begun.length;
    this.#begun = '';
    if (this.#isInHead) this.#readHead(text.slice(0, length));
    else this.#readSize(text.slice(0, length));
    return at + length + delimiter.length - begunLength;
  }

  #begin(): void {
    this.#isWhole = false;
    this.#isInHead = true;
    this.bytes = 0;
  }

  #readHead(head: string): void {
    this.#isInHead = false;
    this.code = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    this.#isChunked = length === undefined;
    this.#isLastChunk = false;
    this.#missing = Number(length ?? 0);
    this.#isWhole = length === '0';
  }

  /** Before a chunk comes its size, behind it an empty line. The last one has no bytes. */
  #readSize(line: string): void {
    if (line === '') {
      this.#isWhole = this.#isLastChunk;
      return;
    }
    this.#missing = Number.parseInt(line, 16);
    this.#isLastChunk = this.#missing === 0;
  }
}
