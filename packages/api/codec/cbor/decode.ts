import { isUtf8 } from 'node:buffer';
import { isInt64, shortestInteger } from '@kubernode/machinery';
import { DecodeError } from '../decode-error.ts';
import { Parts } from '../parts.ts';
import { nestingMax, setOwn } from '../reader.ts';

/** Tags that only say what bytes are to become in a text (RFC 8949, 3.4.5.2). */
const laterText: ReadonlyMap<number, BufferEncoding> = new Map([
  [21, 'base64url'],
  [22, 'base64'],
  [23, 'hex'],
]);
const timeTag = 0;
const epochTag = 1;
const bignumTags: ReadonlySet<number> = new Set([2, 3]);
const indefinite = -1;
const breakByte = 0xff;

/**
 * One CBOR data item → the JSON value that it stands for (KEP-4222). Byte strings are strings, in base64 where they are
 * tagged so; tags that nobody knows are dropped. Throws DecodeError for what is not well-formed or not valid: repeated
 * keys, keys that are no strings, text that is no UTF-8, numbers that JSON or int64 cannot hold, and more data behind;
 * RequestEntityTooLarge for too many parts.
 */
export function decodeCbor(bytes: Uint8Array): unknown {
  const reader = new Reader(bytes);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  readonly #bytes: Buffer;
  readonly #parts = new Parts();
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  end(): void {
    const rest = this.#bytes.length - this.#at;
    if (rest > 0) throw failure(`${rest} bytes of extraneous data starting at index ${this.#at}`);
  }

  value(depth: number): unknown {
    if (depth > nestingMax) throw failure(`exceeded max nested level ${nestingMax}`);
    const head = this.#byte();
    const major = head >> 5;
    const info = head & 31;
    this.#parts.take(major === 4 || major === 5 ? 2 : 1);
    switch (major) {
      case 0:
        return integer(this.#argument(info));
      case 1:
        return integer(-1n - BigInt(this.#argument(info)));
      case 2:
        return this.#string(2, info).toString('utf8');
      case 3:
        return this.#text(info);
      case 4:
        return this.#list(info, depth);
      case 5:
        return this.#map(info, depth);
      case 6:
        return this.#tagged(Number(this.#argument(info)), depth);
      default:
        return this.#simple(info);
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw failure('unexpected EOF');
    this.#at++;
    return byte;
  }

  #take(length: number): Buffer {
    if (length > this.#bytes.length - this.#at) throw failure('unexpected EOF');
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return taken;
  }

  #argument(info: number): number | bigint {
    if (info < 24) return info;
    if (info > 27) throw failure(`invalid additional information ${info} for the type`);
    const bytes = this.#take(2 ** (info - 24));
    return info === 27 ? bytes.readBigUInt64BE() : bytes.readUIntBE(0, bytes.length);
  }

  /** How many items or bytes follow; each of them takes a byte at least. */
  #length(info: number): number {
    if (info === 31) return indefinite;
    const length = Number(this.#argument(info));
    if (length > this.#bytes.length - this.#at) throw failure('unexpected EOF');
    return length;
  }

  #string(major: number, info: number): Buffer {
    const length = this.#length(info);
    if (length !== indefinite) return this.#take(length);
    const chunks: Buffer[] = [];
    for (let head = this.#byte(); head !== breakByte; head = this.#byte()) {
      if (head >> 5 !== major || (head & 31) === 31)
        throw failure('wrong element type for an indefinite-length string');
      chunks.push(this.#take(this.#length(head & 31)));
    }
    return Buffer.concat(chunks);
  }

  #text(info: number): string {
    const bytes = this.#string(3, info);
    if (!isUtf8(bytes)) throw failure('invalid UTF-8 string');
    return bytes.toString('utf8');
  }

  #list(info: number, depth: number): unknown[] {
    const length = this.#length(info);
    const list: unknown[] = [];
    while (length === indefinite ? !this.#breaks() : list.length < length) list.push(this.value(depth + 1));
    return list;
  }

  #map(info: number, depth: number): Record<string, unknown> {
    const length = this.#length(info);
    const map: Record<string, unknown> = {};
    for (let index = 0; length === indefinite ? !this.#breaks() : index < length; index++) {
      const key = this.#key();
      this.#parts.take(1);
      if (Object.hasOwn(map, key)) {
        throw failure(`found duplicate map key ${JSON.stringify(key)} at map element index ${index}`);
      }
      setOwn(map, key, this.value(depth + 1));
    }
    return map;
  }

  #key(): string {
    const head = this.#byte();
    const major = head >> 5;
    if (major === 2) return this.#string(2, head & 31).toString('utf8');
    if (major === 3) return this.#text(head & 31);
    throw failure('cannot unmarshal a map key that is no string into Go value of type string');
  }

  #breaks(): boolean {
    if (this.#bytes[this.#at] !== breakByte) return false;
    this.#at++;
    return true;
  }

  #tagged(tag: number, depth: number): unknown {
    if (bignumTags.has(tag)) throw failure('cannot unmarshal bignum');
    const encoding = laterText.get(tag);
    const head = this.#bytes[this.#at] ?? breakByte;
    if (encoding && head >> 5 === 2) {
      this.#at++;
      return this.#string(2, head & 31).toString(encoding);
    }
    const value = this.value(depth + 1);
    if (tag === timeTag && (typeof value !== 'string' || Number.isNaN(Date.parse(value)))) {
      throw failure('tag number 0 must be followed by a time in RFC 3339');
    }
    if (tag !== epochTag) return value;
    if (typeof value !== 'number' && typeof value !== 'bigint') {
      throw failure('tag number 1 must be followed by integer or floating-point number');
    }
    return epochText(Number(value));
  }

  #simple(info: number): unknown {
    switch (info) {
      case 20:
        return false;
      case 21:
        return true;
      case 22:
        return null;
      case 25:
        return finite(halfOf(this.#take(2).readUInt16BE()));
      case 26:
        return finite(this.#take(4).readFloatBE());
      case 27:
        return finite(this.#take(8).readDoubleBE());
      case 31:
        throw failure('unexpected "break" code');
      default:
        throw failure(`simple value ${info === 24 ? this.#byte() : info} is not recognized`);
    }
  }
}

function integer(value: number | bigint): number | bigint {
  if (typeof value === 'number') return value;
  if (!isInt64(value)) {
    throw failure(`cannot unmarshal ${value < 0n ? 'negative' : 'positive'} integer into Go value of type int64`);
  }
  return shortestInteger(value);
}

/** IEEE 754 binary16. */
function halfOf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw failure('floating-point NaN and infinity are not allowed');
}

/** Seconds since 1970 → RFC 3339, without a fraction that is zero. */
function epochText(seconds: number): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) throw failure(`the time ${seconds} is out of range`);
  return date.toISOString().replace(/\.?0*Z$/, 'Z');
}

const failure = (why: string) => new DecodeError(`cbor: ${why}`);
