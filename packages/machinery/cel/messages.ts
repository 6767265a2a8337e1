import { CelError } from './errors.ts';
import { makeStruct } from './struct-names.ts';
import { toJson } from './evaluate/to-json.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
  uintType,
  wrapperType,
  type CelType,
} from './types.ts';
import { Double, Duration, Timestamp, Uint, type CelValue } from './values.ts';

/** A message of protobuf that every environment knows: what an expression makes of it is a value as any other. */
export interface Message {
  /** The type of the value. */
  readonly type: CelType;
  readonly fields: ReadonlyMap<string, CelType>;
  readonly make: (fields: ReadonlyMap<string, CelValue>) => CelValue;
}

function message(
  type: CelType,
  fields: Readonly<Record<string, CelType>>,
  make: (fields: ReadonlyMap<string, CelValue>) => CelValue,
): Message {
  return { type, fields: new Map(Object.entries(fields)), make };
}

function wrapper<T extends CelValue>(
  type: CelType,
  empty: T,
  make: (value: T) => CelValue = (value) => value,
): Message {
  return message(wrapperType(type), { value: type }, (fields) => make((fields.get('value') ?? empty) as T));
}

/** A value after its way through JSON: its numbers are doubles. */
function fromJson(json: unknown): CelValue {
  if (typeof json === 'number') return new Double(json);
  if (Array.isArray(json)) return json.map(fromJson);
  if (typeof json !== 'object' || json === null) return json as CelValue;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, fromJson(value)]));
}

const throughJson = (value: CelValue) => fromJson(toJson(value));

const valueFields = {
  null_value: intType,
  number_value: doubleType,
  string_value: stringType,
  bool_value: boolType,
  struct_value: mapType(stringType, dynType),
  list_value: listType(dynType),
};

/** The one field that is set last, or null. */
function anyValue(fields: ReadonlyMap<string, CelValue>): CelValue {
  const [name, value] = [...fields].at(-1) ?? [];
  return name === undefined || name === 'null_value' ? null : throughJson(value as CelValue);
}

function int32(value: number | bigint): number | bigint {
  if (value >= -(2 ** 31) && value < 2 ** 31) return value;
  throw new CelError('integer overflow');
}

function uint32(value: Uint): Uint {
  if (value.value < 2n ** 32n) return value;
  throw new CelError('unsigned integer overflow');
}

const time = { seconds: intType, nanos: intType };

function nanoseconds(fields: ReadonlyMap<string, CelValue>): bigint {
  const [seconds, nanos] = ['seconds', 'nanos'].map((name) => BigInt((fields.get(name) ?? 0) as number | bigint));
  return (seconds as bigint) * 1_000_000_000n + (nanos as bigint);
}

const emptyType = objectType('google.protobuf.Empty', () => new Map());

const messages: ReadonlyMap<string, Message> = new Map([
  ['BoolValue', wrapper(boolType, false)],
  ['BytesValue', wrapper(bytesType, new Uint8Array())],
  ['DoubleValue', wrapper(doubleType, new Double(0))],
  ['FloatValue', wrapper(doubleType, new Double(0), ({ value }) => new Double(Math.fround(value)))],
  ['Int32Value', wrapper<number | bigint>(intType, 0, int32)],
  ['Int64Value', wrapper<number | bigint>(intType, 0)],
  ['StringValue', wrapper(stringType, '')],
  ['UInt32Value', wrapper(uintType, new Uint(0n), uint32)],
  ['UInt64Value', wrapper(uintType, new Uint(0n))],
  ['ListValue', message(listType(dynType), { values: listType(dynType) }, (of) => throughJson(of.get('values') ?? []))],
  [
    'Struct',
    message(mapType(stringType, dynType), { fields: mapType(stringType, dynType) }, (of) =>
      throughJson(of.get('fields') ?? {}),
    ),
  ],
  ['Value', message(dynType, valueFields, anyValue)],
  ['Duration', message(durationType, time, (fields) => new Duration(nanoseconds(fields)))],
  ['Timestamp', message(timestampType, time, (fields) => new Timestamp(nanoseconds(fields)))],
  ['Empty', message(emptyType, {}, () => makeStruct(new Map(), emptyType.name))],
  [
    'Any',
    message(dynType, { type_url: stringType, value: bytesType }, () => {
      throw new CelError('conversion error: a google.protobuf.Any holds no message that is known');
    }),
  ],
]);

const prefix = 'google.protobuf.';

/** The message of a full name: `google.protobuf.Int32Value`. */
export const messageNamed = (name: string): Message | undefined =>
  name.startsWith(prefix) ? messages.get(name.slice(prefix.length)) : undefined;
