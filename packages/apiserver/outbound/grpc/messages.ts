/** A field of a message of protocol buffers: numbers and bytes are all that key services and signers send. */
type Field = { readonly number: number; readonly value: Uint8Array | number };

const varintType = 0;
const bytesType = 2;

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  while (left > 127) {
    bytes.push((left & 127) | 128);
    left = Math.floor(left / 128);
  }
  return [...bytes, left];
}

/** Leaves out what is empty, as proto3 does. */
export function encodeFields(
  fields: readonly (readonly [number: number, value: Uint8Array | string | number])[],
): Buffer {
  const parts: Uint8Array[] = [];
  for (const [number, value] of fields) {
    if (typeof value === 'number') {
      if (value !== 0) parts.push(Buffer.from([...varint(number * 8 + varintType), ...varint(value)]));
      continue;
    }
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    if (bytes.length > 0) parts.push(Buffer.from([...varint(number * 8 + bytesType), ...varint(bytes.length)]), bytes);
  }
  return Buffer.concat(parts);
}

/** Throws Error where the bytes are no message. */
export function decodeFields(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const read = (): number => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined || scale > 2 ** 49) throw new Error('proto: cannot parse invalid wire-format data');
      at += 1;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  while (at < bytes.length) {
    const tag = read();
    const number = Math.floor(tag / 8);
    if (tag % 8 === varintType) fields.push({ number, value: read() });
    else if (tag % 8 === bytesType) {
      const length = read();
      if (at + length > bytes.length) throw new Error('proto: cannot parse invalid wire-format data');
      fields.push({ number, value: bytes.subarray(at, at + length) });
      at += length;
    } else throw new Error('proto: cannot parse invalid wire-format data');
  }
  return fields;
}

export const bytesOf = (fields: readonly Field[], number: number): Buffer => {
  const value = fields.findLast((field) => field.number === number)?.value;
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.alloc(0);
};

export const textOf = (fields: readonly Field[], number: number): string => bytesOf(fields, number).toString('utf8');

export function numberOf(fields: readonly Field[], number: number): number {
  const value = fields.findLast((field) => field.number === number)?.value;
  return typeof value === 'number' ? value : 0;
}

/** map<string, bytes>, sorted: the same map is the same bytes. */
export const encodeMap = (number: number, map: ReadonlyMap<string, Uint8Array>) =>
  [...map]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([key, value]) =>
        [
          number,
          encodeFields([
            [1, key],
            [2, value],
          ]),
        ] as const,
    );

export function mapOf(fields: readonly Field[], number: number): Map<string, Buffer> {
  const entries = fields.filter((field) => field.number === number && field.value instanceof Uint8Array);
  return new Map(
    entries.map(({ value }) => {
      const entry = decodeFields(value as Uint8Array);
      return [textOf(entry, 1), bytesOf(entry, 2)];
    }),
  );
}
