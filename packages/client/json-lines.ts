import { parseJsonExactly } from '@kubernode/machinery';

const newline = 0x0a;

/** Cuts a stream of JSON values, one a line, wherever the network cut it; each byte is looked at once. */
export class JsonLines {
  /** Pieces of a line whose end has not come yet. */
  #pieces: Uint8Array[] = [];

  /** The values that `chunk` completes. Throws SyntaxError on what is no JSON. */
  push(chunk: Uint8Array): unknown[] {
    const values: unknown[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#pieces.push(chunk.subarray(start, end));
      this.#take(values);
      start = end + 1;
    }
    if (start < chunk.length) this.#pieces.push(chunk.subarray(start));
    return values;
  }

  /** What stands after the last newline. */
  end(): unknown[] {
    const values: unknown[] = [];
    this.#take(values);
    return values;
  }

  #take(values: unknown[]): void {
    const line = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    this.#pieces = [];
    const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8');
    if (text.trim()) values.push(parseJsonExactly(text));
  }
}
