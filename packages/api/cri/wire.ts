/** Protobuf's wire format (protobuf.dev, "Encoding"): the few forms that CRI's messages use. */
export const wireVarint = 0;
export const wireFixed64 = 1;
export const wireBytes = 2;
const wireFixed32 = 5;

export class WireWriter {
  #bytes = Buffer.allocUnsafe(256);
  #length = 0;

  #reserve(size: number): void {
    if (this.#length + size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + size));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  /** Integers of up to 64 bits; negative ones as two's complement of 64 bits. */
  varint(value: number): void {
    this.#reserve(10);
    if (value >= 0 && value <= 0x7fff_ffff) {
      let rest = value;
      for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      this.#bytes[this.#length++] = rest;
      return;
    }
    let rest = BigInt.asUintN(64, BigInt(Math.trunc(value)));
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#length++] = Number(rest);
  }

  tag(number: number, wireType: number): void {
    this.varint(number * 8 + wireType);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The 64 bits of a varint. */
  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError('decode protobuf: a number is cut off');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new RangeError('decode protobuf: a number is longer than 64 bits');
  }

  tag(): { number: number; wireType: number } {
    const tag = Number(this.varint());
    return { number: Math.floor(tag / 8), wireType: tag % 8 };
  }

  double(): number {
    return this.#take(8).readDoubleLE();
  }

  bytes(): Buffer {
    return this.#take(Number(this.varint()));
  }

  skip(wireType: number): void {
    if (wireType === wireVarint) this.varint();
    else if (wireType === wireFixed64) this.#take(8);
    else if (wireType === wireBytes) this.bytes();
    else if (wireType === wireFixed32) this.#take(4);
    else throw new RangeError(`decode protobuf: wire type ${wireType} is not one of 0, 1, 2, 5`);
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('decode protobuf: the message is cut off');
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
}
