import type { ObjectShape, Shape } from '@kubernode/machinery';
import { durationNanoseconds } from '../duration.ts';
import { parseTimestamp } from '../time.ts';
import type { SpecialForm } from '../special-forms.ts';
import { schemaShape, specialFormOf } from '../special-forms.ts';
import { WireWriter } from './wire-writer.ts';

type Source = Readonly<Record<string, unknown>>;

/** Writes one field's tags and values, last first. */
interface FieldWriter {
  readonly proto: number;
  write(source: Source, wire: WireWriter): void;
}

const messages = new WeakMap<ObjectShape, readonly FieldWriter[]>();

/** Whether the type has a protobuf form (Table, for one, has none). */
export function hasProtobuf(shape: ObjectShape): boolean {
  return fieldWriters(shape).length > 0 || specialFormOf(shape.name) !== undefined;
}

/**
 * The object's message, without an envelope: byte for byte what Go's generated code writes (proto2: a field that is not a
 * pointer is written even when it is zero; ascending numbers; maps sorted by key).
 */
export function encodeMessage(object: unknown, shape: ObjectShape): Uint8Array {
  const wire = new WireWriter();
  writeMessage(object, shape, wire);
  return wire.finish();
}

function writeMessage(value: unknown, shape: ObjectShape, wire: WireWriter): void {
  const form = specialFormOf(shape.name);
  if (form) return writeSpecial(value, form, wire);
  const source = (value ?? {}) as Source;
  const writers = fieldWriters(shape);
  for (let index = writers.length - 1; index >= 0; index--) writers[index]?.write(source, wire);
}

function fieldWriters(shape: ObjectShape): readonly FieldWriter[] {
  let writers = messages.get(shape);
  if (!writers) {
    const own = shape.fields
      .filter((field) => field.proto > 0)
      .map(({ proto, name, shape: fieldShape, pointer }): FieldWriter => {
        const isAlwaysThere = !pointer && fieldShape.type !== 'list' && fieldShape.type !== 'map';
        return {
          proto,
          write(source, wire) {
            const value = source[name] ?? undefined;
            if (value !== undefined) writeField(proto, value, fieldShape, wire);
            else if (isAlwaysThere) writeZero(proto, fieldShape, wire);
          },
        };
      });
    const embedded = shape.embedded.map(({ proto, shape: inner }): FieldWriter => {
      return { proto, write: (source, wire) => delimited(proto, wire, () => writeMessage(source, inner, wire)) };
    });
    writers = [...own, ...embedded].sort((a, b) => a.proto - b.proto);
    messages.set(shape, writers);
  }
  return writers;
}

function delimited(proto: number, wire: WireWriter, body: () => void): void {
  const before = wire.length;
  body();
  wire.varint(wire.length - before);
  wire.tag(proto, 2);
}

function writeField(proto: number, value: unknown, shape: Shape, wire: WireWriter): void {
  if (shape.type === 'list' && !shape.wrapped) {
    const list = value as readonly unknown[];
    for (let index = list.length - 1; index >= 0; index--) writeOne(proto, list[index], shape.items, wire);
  } else if (shape.type === 'map') {
    const map = value as Source;
    const keys = Object.keys(map).sort().reverse();
    for (const key of keys) {
      delimited(proto, wire, () => {
        writeOne(2, map[key], shape.values, wire);
        wire.string(key);
        wire.tag(1, 2);
      });
    }
  } else writeOne(proto, value, shape, wire);
}

function writeOne(proto: number, value: unknown, shape: Shape, wire: WireWriter): void {
  switch (shape.type) {
    case 'string':
      wire.string(value as string);
      return wire.tag(proto, 2);
    case 'object':
      return delimited(proto, wire, () => writeMessage(value, shape, wire));
    case 'list':
      return delimited(proto, wire, () => writeField(1, value, { ...shape, wrapped: false }, wire));
    case 'bool':
      wire.bool(value as boolean);
      return wire.tag(proto, 0);
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      wire.varint(value as number | bigint);
      return wire.tag(proto, 0);
    case 'float64':
      wire.double(value as number);
      return wire.tag(proto, 1);
    case 'float32':
      wire.float(value as number);
      return wire.tag(proto, 5);
    case 'bytes':
      wire.bytes(Buffer.from(value as string, 'base64'));
      return wire.tag(proto, 2);
    case 'map':
      throw new Error(`encodeMessage: a ${shape.type} within a list has no protobuf form`);
    default:
      return delimited(proto, wire, () => writeScalarMessage(value, shape.type, wire));
  }
}

/** Go's zero value: a message without fields, or with its zeros; a nil list of bytes is left out. */
function writeZero(proto: number, shape: Shape, wire: WireWriter): void {
  switch (shape.type) {
    case 'bytes':
      return;
    case 'string':
      return writeOne(proto, '', shape, wire);
    case 'bool':
      return writeOne(proto, false, shape, wire);
    case 'quantity':
      return writeOne(proto, '0', shape, wire);
    case 'duration':
      return writeOne(proto, '0s', shape, wire);
    case 'object':
    case 'time':
    case 'microtime':
    case 'rawExtension':
    case 'fieldsV1':
    case 'any':
      return writeOne(proto, undefined, shape, wire);
    default:
      return writeOne(proto, 0, shape, wire);
  }
}

/** Scalars of JSON that are messages on the wire. */
function writeScalarMessage(value: unknown, type: Shape['type'], wire: WireWriter): void {
  if (value === undefined || value === null) return;
  switch (type) {
    case 'quantity':
      wire.string(`${value as string | number}`);
      return wire.tag(1, 2);
    case 'intOrString':
      return writeIntOrString(value as number | string, wire);
    case 'time':
    case 'microtime': {
      const { seconds, nanos } = parseTimestamp(value as string, type);
      wire.varint(nanos);
      wire.tag(2, 0);
      wire.varint(seconds);
      return wire.tag(1, 0);
    }
    case 'duration':
      wire.bigVarint(durationNanoseconds(value as string));
      return wire.tag(1, 0);
    default:
      wire.string(JSON.stringify(value));
      return wire.tag(1, 2);
  }
}

function writeIntOrString(value: number | string, wire: WireWriter): void {
  const isText = typeof value === 'string';
  wire.string(isText ? value : '');
  wire.tag(3, 2);
  wire.varint(isText ? 0 : value);
  wire.tag(2, 0);
  wire.varint(isText ? 1 : 0);
  wire.tag(1, 0);
}

/** The messages of a CRD schema's special forms; a schema is a field of its own in them. */
function writeSpecial(value: unknown, form: SpecialForm, wire: WireWriter): void {
  if (value === undefined) return;
  const schema = schemaShape();
  const isSchema = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (form === 'any') {
    wire.string(JSON.stringify(value));
    wire.tag(1, 2);
  } else if (form === 'schemaOrBool') {
    if (isSchema) writeOne(2, value, schema, wire);
    wire.bool(isSchema || value === true);
    wire.tag(1, 0);
  } else if (isSchema) writeOne(1, value, schema, wire);
  else if (Array.isArray(value)) {
    const items: Shape = form === 'schemaOrList' ? schema : { type: 'string' };
    writeField(2, value, { type: 'list', items, listType: 'atomic', keys: [] }, wire);
  }
}
