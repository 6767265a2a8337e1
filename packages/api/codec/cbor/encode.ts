import { parseJsonExactly, type Shape } from '@kubernode/machinery';
import { encodeJsonText } from '../json.ts';

/** Tag 55799, "self-described CBOR": upstream begins all that it encodes so (RFC 8949, 3.4.6). */
const selfDescribed = Buffer.from([0xd9, 0xd9, 0xf7]);
/** Tag 22: bytes that are base64 in a text. */
const base64Tag = Buffer.from([0xd6]);
const [unsigned, negative, byteString, list, map] = [0, 1, 2, 4, 5];

/**
 * A value as self-described, deterministic CBOR (KEP-4222): what JSON would hold, with keys and strings as byte strings,
 * keys in the order of RFC 8949 4.2.1, numbers as short as they can be. `shape` tells which strings are bytes, and what
 * is left out; undefined: the value is JSON already.
 */
export function encodeCbor(value: unknown, shape: Shape | undefined): Uint8Array {
  return Buffer.concat([selfDescribed, encodeCborItem(value, shape)]);
}

/** As `encodeCbor`, of what stands within another value. */
export function encodeCborItem(value: unknown, shape: Shape | undefined): Uint8Array {
  return itemOf(printed(value, shape), shape);
}

/** What `encodeCbor` puts before and after the items of a value's list of so many, which stands at `field`. */
export function cborAroundItems(
  value: object,
  { field, count, shape }: { readonly field: string; readonly count: number; readonly shape: Shape | undefined },
): { readonly before: Uint8Array; readonly after: Uint8Array } {
  const entries = entriesOf(printed({ ...value, [field]: [] }, shape) as object, shape).sort(inOrder);
  const key = textOf(field);
  const at = entries.findIndex(([each]) => each.equals(key));
  const begin = [selfDescribed, head(map!, entries.length), ...entries.slice(0, at).flat(), key, head(list!, count)];
  return { before: Buffer.concat(begin), after: Buffer.concat(entries.slice(at + 1).flat()) };
}

/** The JSON value of which the shape says how it is printed. */
const printed = (value: unknown, shape: Shape | undefined): unknown =>
  shape ? parseJsonExactly(encodeJsonText(value, shape)) : value;

/** An event of a watch; items follow each other without more (RFC 8742). */
export function encodeCborEvent(type: string, object: unknown, shape: Shape | undefined): Uint8Array {
  const entries: [Buffer, Buffer][] = [
    [textOf('type'), textOf(type)],
    [textOf('object'), itemOf(printed(object, shape), shape)],
  ];
  return Buffer.concat([selfDescribed, mapOf(entries)]);
}

function itemOf(value: unknown, shape: Shape | undefined): Buffer {
  switch (typeof value) {
    case 'string':
      return shape?.type === 'bytes' ? bytesOf(Buffer.from(value, 'base64')) : textOf(value);
    case 'number':
      return Number.isSafeInteger(value) && !shape?.type.startsWith('float') ? integerOf(value) : floatOf(value);
    case 'bigint':
      return shape?.type.startsWith('float') ? floatOf(Number(value)) : integerOf(value);
    case 'boolean':
      return Buffer.from([value ? 0xf5 : 0xf4]);
    case 'object':
      return value === null ? Buffer.from([0xf6]) : containerOf(value, shape);
    default:
      return Buffer.from([0xf6]);
  }
}

function containerOf(value: object, shape: Shape | undefined): Buffer {
  if (Array.isArray(value)) {
    const items = shape?.type === 'list' ? shape.items : undefined;
    return Buffer.concat([head(list!, value.length), ...value.map((item: unknown) => itemOf(item, items))]);
  }
  return mapOf(entriesOf(value, shape));
}

function entriesOf(value: object, shape: Shape | undefined): [Buffer, Buffer][] {
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]): [Buffer, Buffer] => [textOf(key), itemOf(item, shapeBelow(shape, key))]);
}

const inOrder = ([a]: [Buffer, Buffer], [b]: [Buffer, Buffer]): number => a.compare(b);

function mapOf(entries: [Buffer, Buffer][]): Buffer {
  entries.sort(inOrder);
  return Buffer.concat([head(map!, entries.length), ...entries.flat()]);
}

function shapeBelow(shape: Shape | undefined, key: string): Shape | undefined {
  if (shape?.type === 'object') return shape.byName.get(key)?.shape;
  return shape?.type === 'map' ? shape.values : undefined;
}

const bytesOf = (bytes: Buffer) => Buffer.concat([base64Tag, head(byteString!, bytes.length), bytes]);

function textOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([head(byteString!, bytes.length), bytes]);
}

function integerOf(value: number | bigint): Buffer {
  if (value >= 0) return head(unsigned!, value);
  return head(negative!, typeof value === 'bigint' ? -1n - value : -1 - value);
}

function head(major: number, argument: number | bigint): Buffer {
  const type = major << 5;
  if (argument < 24) return Buffer.from([type | Number(argument)]);
  if (argument < 2 ** 8) return Buffer.from([type | 24, Number(argument)]);
  const bytes = Buffer.alloc(argument < 2 ** 16 ? 3 : argument < 2 ** 32 ? 5 : 9);
  if (bytes.length === 9) bytes.writeBigUInt64BE(BigInt(argument), 1);
  else bytes.writeUIntBE(Number(argument), 1, bytes.length - 1);
  bytes[0] = type | (bytes.length === 3 ? 25 : bytes.length === 5 ? 26 : 27);
  return bytes;
}

/** In the fewest bytes that hold the value. */
function floatOf(value: number): Buffer {
  const half = halfBits(value);
  if (half !== undefined) return Buffer.from([0xf9, half >> 8, half & 255]);
  const isSingle = Math.fround(value) === value;
  const bytes = Buffer.alloc(isSingle ? 5 : 9);
  bytes[0] = isSingle ? 0xfa : 0xfb;
  if (isSingle) bytes.writeFloatBE(value, 1);
  else bytes.writeDoubleBE(value, 1);
  return bytes;
}

/** IEEE 754 binary16, where it holds the value. */
function halfBits(value: number): number | undefined {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size === 0) return sign;
  const exponent = Math.max(-14, Math.floor(Math.log2(size)));
  const fraction = (size / 2 ** exponent) * 1024;
  if (exponent > 15 || !Number.isInteger(fraction)) return undefined;
  return fraction < 1024 ? sign | fraction : sign | ((exponent + 15) << 10) | (fraction - 1024);
}
