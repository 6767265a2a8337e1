import { parseJsonExactly, type Field, type MapShape, type ObjectShape, type Shape } from '@kubernode/machinery';
import { DecodeError } from '../decode-error.ts';
import { durationText } from '../duration.ts';
import { checkSizeOfJson } from '../parts.ts';
import { nestingMax, setOwn, tooDeep } from '../reader.ts';
import type { SpecialForm } from '../special-forms.ts';
import { schemaShape, specialFormOf } from '../special-forms.ts';
import { microTimeTextOf, timeTextOf } from '../time.ts';
import { WireReader } from './wire-reader.ts';

type Target = Record<string, unknown>;
type MessageField = { readonly field: Field } | { readonly embedded: ObjectShape };

const messages = new WeakMap<ObjectShape, ReadonlyMap<number, MessageField>>();

/**
 * A message → the JSON value with the same content; zero values are as the message has them, so it still has to pass
 * through the JSON reader to become canonical. Throws DecodeError.
 */
export function decodeMessage(wire: WireReader, shape: ObjectShape, depth = 0): unknown {
  if (depth > nestingMax) throw tooDeep();
  const form = specialFormOf(shape.name);
  if (form) return readSpecial(wire, form, depth);
  const target: Target = {};
  readInto(target, wire, shape, depth);
  return target;
}

function readInto(target: Target, wire: WireReader, shape: ObjectShape, depth: number): void {
  const fields = messageFields(shape);
  while (wire.hasMore) {
    const tag = wire.varint();
    const wireType = tag & 7;
    const known = fields.get(Math.floor(tag / 8));
    if (!known) wire.skip(wireType);
    else if ('embedded' in known) readInto(target, wire.message(), known.embedded, depth + 1);
    else readField(target, wire, known.field, wireType, depth);
  }
}

function messageFields(shape: ObjectShape): ReadonlyMap<number, MessageField> {
  let fields = messages.get(shape);
  if (!fields) {
    const own = shape.fields.filter(({ proto }) => proto > 0).map((field) => [field.proto, { field }] as const);
    const embedded = shape.embedded.map(({ proto, shape: inner }) => [proto, { embedded: inner }] as const);
    fields = new Map<number, MessageField>([...own, ...embedded]);
    messages.set(shape, fields);
  }
  return fields;
}

function readField(target: Target, wire: WireReader, field: Field, wireType: number, depth: number): void {
  const { shape, name } = field;
  if (shape.type === 'list' && !shape.wrapped) {
    const list = (target[name] ??= []) as unknown[];
    readElement(list, wire, shape.items, wireType, field, depth);
  } else if (shape.type === 'map') {
    expect(wireType, 2, field);
    readEntry((target[name] ??= {}) as Target, wire.message(), shape, field, depth);
  } else target[name] = readOne(wire, shape, wireType, field, depth);
}

/** One element, or a packed run of numbers. */
function readElement(
  list: unknown[],
  wire: WireReader,
  items: Shape,
  wireType: number,
  field: Field,
  depth: number,
): void {
  const single = wireTypeOf(items);
  if (wireType !== 2 || single === 2) {
    list.push(readOne(wire, items, wireType, field, depth));
    return;
  }
  const packed = wire.message();
  while (packed.hasMore) list.push(readOne(packed, items, single, field, depth));
}

function readEntry(map: Target, wire: WireReader, shape: MapShape, field: Field, depth: number): void {
  let key = '';
  let value: unknown = null;
  while (wire.hasMore) {
    const tag = wire.varint();
    const wireType = tag & 7;
    if (tag >> 3 === 1) key = wire.string();
    else if (tag >> 3 !== 2) wire.skip(wireType);
    else value = readOne(wire, shape.values, wireType, field, depth);
  }
  setOwn(map, key, value ?? null);
}

/** A list that is a message of its own: its items are that one's first field. */
function readWrapped(wire: WireReader, items: Shape, field: Field, depth: number): unknown[] {
  const list: unknown[] = [];
  while (wire.hasMore) readElement(list, wire, items, wire.varint() & 7, field, depth);
  return list;
}

function wireTypeOf(shape: Shape): 0 | 1 | 2 | 5 {
  switch (shape.type) {
    case 'bool':
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      return 0;
    case 'float64':
      return 1;
    case 'float32':
      return 5;
    default:
      return 2;
  }
}

function expect(found: number, expected: number, field: Field): void {
  if (found === expected) return;
  const name = field.name.charAt(0).toUpperCase() + field.name.slice(1);
  throw new DecodeError(`proto: wrong wireType = ${found} for field ${name}`);
}

function readOne(wire: WireReader, shape: Shape, wireType: number, field: Field, depth: number): unknown {
  expect(wireType, wireTypeOf(shape), field);
  wire.parts?.take(shape.type === 'object' ? 2 : 1);
  switch (shape.type) {
    case 'string':
      return wire.string();
    case 'object':
      return decodeMessage(wire.message(), shape, depth + 1);
    case 'list':
      return readWrapped(wire.message(), shape.items, field, depth + 1);
    case 'bool':
      return wire.varint() !== 0;
    case 'int32':
      return wire.int32();
    case 'int64':
      return wire.int64();
    case 'uint32':
      return wire.varint();
    case 'uint64':
      return wire.uint64();
    case 'float64':
      return wire.double();
    case 'float32':
      return wire.float();
    case 'bytes':
      return wire.base64();
    default:
      return readScalarMessage(wire.message(), shape);
  }
}

/** Scalars of JSON that are messages on the wire; undefined for an empty time or an empty embedded object. */
function readScalarMessage(wire: WireReader, shape: Shape): unknown {
  switch (shape.type) {
    case 'quantity':
      return lastString(wire, 1) ?? '0';
    case 'intOrString': {
      const [isText, number, text] = readThree(wire);
      return isText === 1 ? text : number;
    }
    case 'time':
    case 'microtime': {
      if (!wire.hasMore) return undefined;
      const timestamp = readTimestamp(wire);
      return shape.type === 'time' ? timeTextOf(timestamp) : microTimeTextOf(timestamp);
    }
    case 'duration':
      return durationText(readNanoseconds(wire));
    default: {
      const text = lastString(wire, 1);
      return text === undefined || text === '' ? undefined : parseRaw(text);
    }
  }
}

function parseRaw(text: string): unknown {
  checkSizeOfJson(text, nestingMax);
  try {
    return parseJsonExactly(text);
  } catch {
    throw new DecodeError('raw bytes of an embedded object are expected to be JSON');
  }
}

function lastString(wire: WireReader, proto: number): string | undefined {
  let text: string | undefined;
  while (wire.hasMore) {
    const tag = wire.varint();
    if (tag === proto * 8 + 2) text = wire.string();
    else wire.skip(tag & 7);
  }
  return text;
}

function readThree(wire: WireReader): [type: number, number: number, text: string] {
  const result: [number, number, string] = [0, 0, ''];
  while (wire.hasMore) {
    const tag = wire.varint();
    if (tag === 8) result[0] = wire.varint();
    else if (tag === 16) result[1] = wire.int32();
    else if (tag === 26) result[2] = wire.string();
    else wire.skip(tag & 7);
  }
  return result;
}

function readTimestamp(wire: WireReader): { seconds: number; nanos: number } {
  const timestamp = { seconds: 0, nanos: 0 };
  while (wire.hasMore) {
    const tag = wire.varint();
    if (tag === 8) timestamp.seconds = Number(wire.int64());
    else if (tag === 16) timestamp.nanos = wire.int32();
    else wire.skip(tag & 7);
  }
  return timestamp;
}

function readNanoseconds(wire: WireReader): bigint {
  let nanoseconds = 0n;
  while (wire.hasMore) {
    const tag = wire.varint();
    if (tag === 8) nanoseconds = wire.bigInt64();
    else wire.skip(tag & 7);
  }
  return nanoseconds;
}

function readSpecial(wire: WireReader, form: SpecialForm, depth: number): unknown {
  if (form === 'any') {
    const text = lastString(wire, 1);
    return text === undefined || text === '' ? null : parseRaw(text);
  }
  let allows = false;
  let schema: unknown;
  const list: unknown[] = [];
  while (wire.hasMore) {
    const tag = wire.varint();
    const proto = tag >> 3;
    const isSchema = proto === (form === 'schemaOrBool' ? 2 : 1);
    if (isSchema && (tag & 7) === 2) schema = decodeMessage(wire.message(), schemaShape(), depth + 1);
    else if (form === 'schemaOrBool' && tag === 8) allows = wire.varint() !== 0;
    else if (form === 'schemaOrStrings' && tag === 18) list.push(wire.string());
    else if (form === 'schemaOrList' && tag === 18) list.push(decodeMessage(wire.message(), schemaShape(), depth + 1));
    else wire.skip(tag & 7);
  }
  return schema ?? (form === 'schemaOrBool' ? allows : list);
}
