/**
 * The little of ASN.1's distinguished encoding (X.690) that certificates need: values are written inside out, as
 * Buffers, and read into a tree. A library would cost more start-up time than making every certificate of a cluster.
 */
export interface DerNode {
  readonly tag: number;
  /** The content without tag and length. */
  readonly content: Buffer;
  /** Tag, length and content. */
  readonly bytes: Buffer;
}

export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** One value: its tag, its length, and the parts one after the other. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), encodedLength(content.length), content]);
}

function encodedLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const derSequence = (...parts: readonly Uint8Array[]): Buffer => der(derTag.sequence, ...parts);
export const derUtf8 = (text: string): Buffer => der(derTag.utf8, Buffer.from(text, 'utf8'));
export const derOctets = (bytes: Uint8Array): Buffer => der(derTag.octetString, bytes);
export const derBits = (bytes: Uint8Array, unusedBits = 0): Buffer =>
  der(derTag.bitString, Buffer.from([unusedBits]), bytes);
export const derTrue: Buffer = der(derTag.boolean, Buffer.from([0xff]));

/** A positive integer of any size, most significant byte first. */
export function derInteger(bytes: Uint8Array): Buffer {
  const needsSign = (bytes[0] ?? 0) >= 0x80;
  return der(derTag.integer, needsSign ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** `2.5.4.3` */
export function derOid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(derTag.oid, Buffer.from(bytes));
}

/** RFC 5280 4.1.2.5: two-digit years until 2049, four digits from then on. */
export function derTime(ms: number): Buffer {
  const digits = new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:T]/g, '');
  const early = ms < Date.UTC(2050, 0, 1);
  return der(early ? derTag.utcTime : derTag.generalizedTime, Buffer.from(early ? digits.slice(2) : digits));
}

/** Reads one value at the start of `bytes`. Throws RangeError where it is cut short. */
export function readDer(bytes: Uint8Array): DerNode {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tag = buffer.readUInt8(0);
  let length = buffer.readUInt8(1);
  let offset = 2;
  if (length & 0x80) {
    const count = length & 0x7f;
    if (count === 0 || count > 4) throw new RangeError(`readDer: length of ${count} bytes, expected 1 to 4`);
    length = buffer.readUIntBE(2, count);
    offset += count;
  }
  if (offset + length > buffer.length) throw new RangeError(`readDer: value of ${length} bytes is cut short`);
  return { tag, content: buffer.subarray(offset, offset + length), bytes: buffer.subarray(0, offset + length) };
}

/** The values inside a constructed one, in their order. */
export function readDerChildren(node: DerNode): DerNode[] {
  const children: DerNode[] = [];
  for (let offset = 0; offset < node.content.length;) {
    const child = readDer(node.content.subarray(offset));
    children.push(child);
    offset += child.bytes.length;
  }
  return children;
}

/** The dotted text of an object identifier's content. */
export function readDerOid(content: Uint8Array): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    if (arcs.length === 0) arcs.push(Math.min(2, Math.floor(arc / 40)), arc - 40 * Math.min(2, Math.floor(arc / 40)));
    else arcs.push(arc);
    arc = 0;
  }
  return arcs.join('.');
}
