/** To begin with; less would have to grow soon. */
const memoryBytesMin = 1024;
const nothing = Buffer.alloc(0);

/**
 * Bytes that come in pieces, put together as they come: a Buffer costs hundreds of bytes, so that a list of small ones takes
 * many times what is in them. What is kept here takes two or three times its length. A piece alone is not copied.
 */
export class JoinedPieces {
  #memory: Buffer = nothing;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The piece must not change any more. */
  add(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) this.#memory = piece;
    else {
      if (length > this.#memory.length) this.#grow(Math.max(memoryBytesMin, 2 * length));
      piece.copy(this.#memory, this.#length);
    }
    this.#length = length;
  }

  /** All that there is; what comes next begins anew. */
  take(): Buffer {
    const bytes = this.#memory.subarray(0, this.#length);
    this.#memory = nothing;
    this.#length = 0;
    return bytes;
  }

  #grow(memoryBytes: number): void {
    const grown = Buffer.allocUnsafeSlow(memoryBytes);
    this.#memory.copy(grown, 0, 0, this.#length);
    this.#memory = grown;
  }
}
