/** Bytes of a varint of 2^63 and the like are made of two halves of 32 bits. */
const half = 2 ** 32;

/**
 * Writes protobuf from the end to the front, so that a message's length is known when its turn comes. Whoever uses it
 * writes the last field first. Integers beyond 2^53 come as bigint.
 */
export class WireWriter {
  #bytes: Buffer;
  #at: number;

  /** `capacity`: how many bytes there is room for before it grows. */
  constructor(capacity = 1024) {
    this.#bytes = Buffer.allocUnsafe(capacity);
    this.#at = capacity;
  }

  /** How much is written; the difference of two lengths is the size of what lies between. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, this.#at);
  }

  /** `wireType`: 0 varint, 1 fixed 64, 2 length-delimited, 5 fixed 32. */
  tag(field: number, wireType: number): void {
    this.varint(field * 8 + wireType);
  }

  /** A whole number from -2^63 to 2^64 - 1. */
  varint(value: number | bigint): void {
    if (typeof value === 'bigint') return this.bigVarint(value);
    if (value >= 0 && value < 128) {
      this.#reserve(1);
      this.#bytes[--this.#at] = value;
      return;
    }
    if (value < 0 || value > Number.MAX_SAFE_INTEGER) return this.bigVarint(BigInt(value));
    this.#halves(Math.floor(value / half), value % half);
  }

  bigVarint(value: bigint): void {
    const unsigned = BigInt.asUintN(64, value);
    this.#halves(Number(unsigned >> 32n), Number(unsigned & 0xffffffffn));
  }

  bool(value: boolean): void {
    this.varint(value ? 1 : 0);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    this.#bytes.writeDoubleLE(value, this.#at);
  }

  float(value: number): void {
    this.#reserve(4);
    this.#at -= 4;
    this.#bytes.writeFloatLE(value, this.#at);
  }

  /** With its length in front. */
  string(text: string): void {
    const size = Buffer.byteLength(text);
    this.#reserve(size);
    this.#at -= size;
    this.#bytes.write(text, this.#at, size, 'utf8');
    this.varint(size);
  }

  /** With its length in front. */
  bytes(value: Uint8Array): void {
    this.raw(value);
    this.varint(value.length);
  }

  /** As it is. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#at -= value.length;
    this.#bytes.set(value, this.#at);
  }

  #halves(high: number, low: number): void {
    const bits = high === 0 ? 32 - Math.clz32(low) : 64 - Math.clz32(high);
    const size = Math.max(1, Math.ceil(bits / 7));
    this.#reserve(size);
    this.#at -= size;
    let at = this.#at;
    let [upper, lower] = [high, low];
    for (let index = 1; index < size; index++) {
      this.#bytes[at++] = (lower & 127) | 128;
      lower = ((lower >>> 7) | (upper << 25)) >>> 0;
      upper >>>= 7;
    }
    this.#bytes[at] = lower & 127;
  }

  #reserve(size: number): void {
    if (size <= this.#at) return;
    const used = this.length;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, used + size));
    this.#bytes.copy(grown, grown.length - used, this.#at);
    this.#at = grown.length - used;
    this.#bytes = grown;
  }
}
