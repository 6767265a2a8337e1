import { CelError } from './errors.ts';

/**
 * Values of expressions. An `int` is a JavaScript number while it is a safe integer and a bigint beyond; a `double` is
 * boxed, so that the common numbers (integers of JSON) are unboxed. Lists are arrays, maps are plain JSON objects or
 * `CelMap`s. Within JSON data a fraction may still be a bare number: `adapt` boxes it where it is read.
 */
export type CelValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Uint
  | Double
  | Timestamp
  | Duration
  | CelMap
  | Optional
  | TypeValue
  | Opaque
  | readonly CelValue[]
  | { readonly [key: string]: CelValue };

export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

export class Double {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** An instant, in nanoseconds since 1970. */
export class Timestamp {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    if (nanoseconds < timestampMin || nanoseconds > timestampMax) throw new CelError('timestamp overflow');
    this.nanoseconds = nanoseconds;
  }
}

const second = 1_000_000_000n;
const timestampMin = -62_135_596_800n * second;
const timestampMax = 253_402_300_799n * second + 999_999_999n;

export class Duration {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    if (nanoseconds < int64Min || nanoseconds > int64Max) throw new CelError('duration overflow');
    this.nanoseconds = nanoseconds;
  }
}

export class Optional {
  static readonly none = new Optional(undefined);
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

/** A type as a value: `type(1) == int`. */
export class TypeValue {
  readonly type: string;

  constructor(type: string) {
    this.type = type;
  }
}

/** A value of a library: a quantity, an address, an authorizer. Subclasses say when two are equal. */
export abstract class Opaque {
  abstract readonly typeName: string;

  equals(other: CelValue): boolean {
    return this === other;
  }
}

/** A key of a map as it is looked up: numbers of any type that are equal are the same key. */
export type MapKey = string | number | bigint | boolean;

/** A map that an expression made: its keys may be of any key type. */
export class CelMap {
  readonly #entries = new Map<MapKey, readonly [key: CelValue, value: CelValue]>();

  get size(): number {
    return this.#entries.size;
  }

  get(key: MapKey): CelValue | undefined {
    return this.#entries.get(key)?.[1];
  }

  has(key: MapKey): boolean {
    return this.#entries.has(key);
  }

  /** Adds an entry; a key that is already there is an error, as in a map literal. */
  insert(key: CelValue, value: CelValue): void {
    const at = mapKey(key);
    if (at === undefined) throw new CelError(`unsupported key type`);
    if (this.#entries.has(at)) throw new CelError(`insert failed: key ${String(at)} already exists`);
    this.#entries.set(at, [key, value]);
  }

  entries(): Iterable<readonly [key: CelValue, value: CelValue]> {
    return this.#entries.values();
  }
}

export const int64Max = 9_223_372_036_854_775_807n;
export const int64Min = -9_223_372_036_854_775_808n;
export const uint64Max = 18_446_744_073_709_551_615n;

/** The int of a bigint: a number if that is exact. Throws on overflow of 64 bits. */
export function toInt(value: bigint): number | bigint {
  if (value > int64Max || value < int64Min) throw new CelError('integer overflow');
  return shortInt(value);
}

function shortInt(value: bigint): number | bigint {
  const short = Number(value);
  return Number.isSafeInteger(short) ? short : value;
}

export function toUint(value: bigint): Uint {
  if (value < 0n || value > uint64Max) throw new CelError('unsigned integer overflow');
  return new Uint(value);
}

/** The key under which a map holds `value`; undefined when no key can equal it. */
export function mapKey(value: CelValue): MapKey | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'bigint':
      return value;
    default:
      if (value instanceof Uint) return shortInt(value.value);
      if (value instanceof Double && Number.isInteger(value.value)) return shortInt(BigInt(value.value));
      return undefined;
  }
}

/** A JSON value as a value of CEL: a bare fraction becomes a double, what is absent null. */
export function adapt(value: CelValue | undefined): CelValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : new Double(value);
  return value === undefined ? null : value;
}

export type CelObject = { readonly [key: string]: CelValue };

/** Whether a value is a map or object of JSON data. */
export function isObject(value: CelValue | undefined): value is CelObject {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function isList(value: CelValue): value is readonly CelValue[] {
  return Array.isArray(value);
}

const runtimeTypes: ReadonlyArray<readonly [new (...args: never[]) => object, string]> = [
  [Uint, 'uint'],
  [Double, 'double'],
  [Uint8Array, 'bytes'],
  [Timestamp, 'google.protobuf.Timestamp'],
  [Duration, 'google.protobuf.Duration'],
  [CelMap, 'map'],
  [Optional, 'optional_type'],
  [TypeValue, 'type'],
];

/** The name of the type of a value at run time. */
export function valueType(value: CelValue): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    case 'bigint':
      return 'int';
    case 'number':
      return Number.isInteger(value) ? 'int' : 'double';
    default:
      if (value === null) return 'null_type';
      if (Array.isArray(value)) return 'list';
      if (value instanceof Opaque) return value.typeName;
      return runtimeTypes.find(([type]) => value instanceof type)?.[1] ?? 'map';
  }
}
