import { shortestInteger } from '@kubernode/machinery';
import { DecodeError } from '../decode-error.ts';
import type { Parts } from '../parts.ts';

const half = 2 ** 32;

/** Reads protobuf from a range of bytes. Every method throws DecodeError at the range's end. */
export class WireReader {
  readonly bytes: Buffer;
  at: number;
  readonly end: number;
  /** Of all that is read, messages within messages too. */
  readonly parts: Parts | undefined;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length, parts?: Parts) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
    this.end = end;
    this.parts = parts;
  }

  get hasMore(): boolean {
    return this.at < this.end;
  }

  /** Unsigned, exact below 2^53. */
  varint(): number {
    const first = this.#byte();
    if (first < 128) return first;
    const [low, high] = this.#halves(first);
    return high * half + low;
  }

  /** A signed integer of 64 bits: a bigint where a number does not hold it. */
  int64(): number | bigint {
    const [low, high] = this.#halves(this.#byte());
    const value = (high | 0) * half + low;
    return Number.isSafeInteger(value) ? value : BigInt.asIntN(64, bits64(low, high));
  }

  /** An unsigned integer of 64 bits: a bigint where a number does not hold it. */
  uint64(): number | bigint {
    const [low, high] = this.#halves(this.#byte());
    return shortestInteger(bits64(low, high));
  }

  bigInt64(): bigint {
    const [low, high] = this.#halves(this.#byte());
    return BigInt.asIntN(64, bits64(low, high));
  }

  int32(): number {
    return this.#halves(this.#byte())[0] | 0;
  }

  double(): number {
    return this.bytes.readDoubleLE(this.#skip(8));
  }

  float(): number {
    return this.bytes.readFloatLE(this.#skip(4));
  }

  string(): string {
    const size = this.varint();
    return this.bytes.toString('utf8', this.#skip(size), this.at);
  }

  base64(): string {
    const size = this.varint();
    return this.bytes.toString('base64', this.#skip(size), this.at);
  }

  /** A length-delimited part, to be read on its own. */
  message(): WireReader {
    const size = this.varint();
    return new WireReader(this.bytes, this.#skip(size), this.at, this.parts);
  }

  /** All that is left, not copied. */
  rest(): Buffer {
    return this.bytes.subarray(this.at, this.end);
  }

  /** Passes over the value of a field that is not known. */
  skip(wireType: number): void {
    if (wireType === 0) this.#halves(this.#byte());
    else if (wireType === 1) this.#skip(8);
    else if (wireType === 2) this.#skip(this.varint());
    else if (wireType === 5) this.#skip(4);
    else throw new DecodeError(`proto: illegal wireType ${wireType}`);
  }

  /** Answers where the skipped bytes begin. */
  #skip(size: number): number {
    const start = this.at;
    if (size > this.end - start) throw new DecodeError('unexpected EOF');
    this.at = start + size;
    return start;
  }

  #byte(): number {
    if (this.at >= this.end) throw new DecodeError('unexpected EOF');
    return this.bytes[this.at++] as number;
  }

  /** Low and high 32 bits, both unsigned. */
  #halves(first: number): [number, number] {
    let low = first & 127;
    let high = 0;
    let byte = first;
    for (let shift = 7; byte >= 128; shift += 7) {
      if (shift > 63) throw new DecodeError('proto: integer overflow');
      byte = this.#byte();
      if (shift < 28) low |= (byte & 127) << shift;
      else if (shift === 28) {
        low |= (byte & 15) << 28;
        high = (byte & 127) >> 4;
      } else high |= (byte & 127) << (shift - 32);
    }
    return [low >>> 0, high >>> 0];
  }
}

const bits64 = (low: number, high: number): bigint => (BigInt(high) << 32n) | BigInt(low);
