import { completeMessage } from './complete.ts';
import { type FieldLayout, layoutOf } from './layout.ts';
import type { CriInit, CriMessage, MessageName } from './types.ts';
import { wireBytes, wireFixed64, WireReader, wireVarint, WireWriter } from './wire.ts';

type Values = Record<string, unknown>;

/** A message in protobuf; zero values are left out, as proto3 does. */
export function encodeMessage<Name extends MessageName>(name: Name, init: CriInit<Name>): Buffer {
  return encode(name, init as Values);
}

/** Reads a message; unknown fields are skipped, missing ones are zero. Throws RangeError for bytes that are cut off. */
export function decodeMessage<Name extends MessageName>(name: Name, bytes: Uint8Array): CriMessage<Name> {
  return completeMessage(name, decode(name, bytes) as CriInit<Name>);
}

function encode(name: MessageName, init: Values): Buffer {
  const writer = new WireWriter();
  for (const field of layoutOf(name).fields) {
    const value = init[field.name];
    if (value === undefined || value === null) continue;
    if (field.cardinality === 'map') writeMap(writer, field, value as Record<string, string>);
    else if (field.cardinality === 'repeated') writeList(writer, field, value as readonly unknown[]);
    else if (field.message || !isZero(field, value)) writeValue(writer, field, value);
  }
  return writer.finish();
}

function writeMap(writer: WireWriter, field: FieldLayout, map: Record<string, string>): void {
  for (const [key, value] of Object.entries(map)) {
    const entry = new WireWriter();
    entry.tag(1, wireBytes);
    entry.bytes(Buffer.from(key));
    entry.tag(2, wireBytes);
    entry.bytes(Buffer.from(value));
    writer.tag(field.number, wireBytes);
    writer.bytes(entry.finish());
  }
}

function writeList(writer: WireWriter, field: FieldLayout, values: readonly unknown[]): void {
  if (values.length === 0) return;
  if (field.message || field.type === 'string' || field.type === 'bytes') {
    for (const value of values) writeValue(writer, field, value);
    return;
  }
  const packed = new WireWriter();
  for (const value of values) writePlain(packed, field, value);
  writer.tag(field.number, wireBytes);
  writer.bytes(packed.finish());
}

function writeValue(writer: WireWriter, field: FieldLayout, value: unknown): void {
  if (field.message) {
    writer.tag(field.number, wireBytes);
    writer.bytes(encode(field.message, value as Values));
  } else if (field.type === 'string' || field.type === 'bytes') {
    writer.tag(field.number, wireBytes);
    writer.bytes(field.type === 'string' ? Buffer.from(value as string) : (value as Uint8Array));
  } else {
    writer.tag(field.number, field.type === 'double' ? wireFixed64 : wireVarint);
    writePlain(writer, field, value);
  }
}

function writePlain(writer: WireWriter, field: FieldLayout, value: unknown): void {
  if (field.type === 'double') writer.double(value as number);
  else if (field.values) writer.varint(enumNumber(field, value as string));
  else writer.varint(Number(value));
}

function enumNumber(field: FieldLayout, value: string): number {
  const number = field.values?.indexOf(value) ?? -1;
  if (number < 0) throw new RangeError(`encode ${field.name}: "${value}" is not one of ${field.values?.join(', ')}`);
  return number;
}

function isZero(field: FieldLayout, value: unknown): boolean {
  if (field.values) return value === field.values[0];
  return field.type === 'bytes' ? (value as Uint8Array).length === 0 : !value;
}

function decode(name: MessageName, bytes: Uint8Array): Values {
  const values: Values = {};
  const layout = layoutOf(name);
  const reader = new WireReader(bytes);
  while (!reader.done) {
    const { number, wireType } = reader.tag();
    const field = layout.byNumber.get(number);
    if (field) readField(reader, field, wireType, values);
    else reader.skip(wireType);
  }
  return values;
}

function readField(reader: WireReader, field: FieldLayout, wireType: number, values: Values): void {
  if (field.cardinality === 'map') {
    const [key, value] = readEntry(reader.bytes());
    ((values[field.name] ??= {}) as Values)[key] = value;
  } else if (field.cardinality === 'repeated') {
    const list = (values[field.name] ??= []) as unknown[];
    const packed = wireType === wireBytes && !field.message && field.type !== 'string' && field.type !== 'bytes';
    if (!packed) return void list.push(readValue(reader, field));
    const items = new WireReader(reader.bytes());
    while (!items.done) list.push(readValue(items, field));
  } else values[field.name] = readValue(reader, field);
}

function readEntry(bytes: Uint8Array): [string, string] {
  const reader = new WireReader(bytes);
  const entry: [string, string] = ['', ''];
  while (!reader.done) {
    const { number, wireType } = reader.tag();
    if (number === 1 || number === 2) entry[number - 1] = reader.bytes().toString();
    else reader.skip(wireType);
  }
  return entry;
}

function readValue(reader: WireReader, field: FieldLayout): unknown {
  if (field.message) return decode(field.message, reader.bytes());
  if (field.type === 'string') return reader.bytes().toString();
  if (field.type === 'bytes') return new Uint8Array(reader.bytes());
  if (field.type === 'double') return reader.double();
  const bits = reader.varint();
  if (field.values) return field.values[Number(bits)] ?? field.values[0];
  if (field.type === 'bool') return bits !== 0n;
  return Number(field.type.startsWith('u') ? bits : BigInt.asIntN(64, bits));
}
