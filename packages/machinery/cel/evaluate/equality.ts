import { CelError } from '../errors.ts';
import { work } from '../work.ts';
import { keysOf, keySteps } from './object-keys.ts';
import {
  adapt,
  CelMap,
  Double,
  Duration,
  isObject,
  mapKey,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type CelObject,
  type CelValue,
  type MapKey,
} from '../values.ts';

/** Whether two values are equal: numbers across their types, all else only within its type; never an error. */
export function equals(a: CelValue, b: CelValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') return stringEquals(a, b);
  if (a === b) return true;
  work(1);
  if (typeof a !== 'object' && typeof b !== 'object') return typeof a === typeof b ? false : numericEquals(a, b);
  if (a === null || b === null) return false;
  if (isNumber(a) && isNumber(b)) return numericEquals(a, b);
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a)) return Array.isArray(b) && listEquals(a as readonly CelValue[], b as readonly CelValue[]);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && bytesEqual(a, b);
  if (a instanceof Opaque) return b instanceof Opaque && a.typeName === b.typeName && a.equals(b);
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanoseconds === b.nanoseconds;
  if (a instanceof Duration) return b instanceof Duration && a.nanoseconds === b.nanoseconds;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.type === b.type;
  if (a instanceof Optional) return b instanceof Optional && optionalEquals(a, b);
  return mapEquals(a, b);
}

/** Only texts of the same length are compared, hundreds of characters in a step. */
function stringEquals(a: string, b: string): boolean {
  work(a.length === b.length ? 1 + a.length / 256 : 1);
  return a === b;
}

function optionalEquals(a: Optional, b: Optional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equals(a.value, b.value);
}

/** How `listType` of a schema lets lists compare; registered for the arrays that came through such a schema. */
const listEqualities = new WeakMap<object, (a: readonly CelValue[], b: readonly CelValue[]) => boolean>();

export function setListEquality(
  list: readonly CelValue[],
  same: (a: readonly CelValue[], b: readonly CelValue[]) => boolean,
): void {
  listEqualities.set(list, same);
}

function listEquals(a: readonly CelValue[], b: readonly CelValue[]): boolean {
  if (a.length !== b.length) return false;
  const special = listEqualities.get(a);
  if (special !== undefined) return special(a, b);
  work(3);
  for (let index = 0; index < a.length; index++) {
    if (!equals(adapt(a[index]), adapt(b[index]))) return false;
  }
  return true;
}

const bytesEqual = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

function mapEquals(a: CelValue, b: CelValue): boolean {
  if (isObject(a) && isObject(b)) return objectEquals(a, b);
  if (!isMap(a) || !isMap(b) || mapSize(a) !== mapSize(b)) return false;
  for (const [key, value] of mapEntries(a)) {
    const at = mapKey(key);
    const other = at === undefined ? undefined : mapGet(b, at);
    if (other === undefined || !equals(value, other)) return false;
  }
  return true;
}

/** All scalars are compared before the first list or map: most objects differ in one of them. */
function objectEquals(a: CelObject, b: CelObject): boolean {
  const keys = keysOf(a);
  if (keys.length !== keysOf(b).length) return false;
  const steps = keySteps(keys);
  const nested: string[] = [];
  for (const key of keys) {
    work(steps);
    const left = a[key];
    const right = b[key];
    if (typeof left === 'string' && typeof right === 'string') {
      if (!stringEquals(left, right)) return false;
      continue;
    }
    if (!Object.hasOwn(b, key)) return false;
    if (typeof left === 'object' && left !== null && typeof right === 'object' && right !== null) nested.push(key);
    else if (!equals(adapt(left), adapt(right))) return false;
  }
  return nested.every((key) => equals(a[key] as CelValue, b[key] as CelValue));
}

export type AnyMap = CelMap | CelObject;

export function isMap(value: CelValue): value is AnyMap {
  return value instanceof CelMap || isObject(value);
}

export function mapSize(map: AnyMap): number {
  if (map instanceof CelMap) return map.size;
  return keysOf(map).length;
}

export function mapGet(map: AnyMap, key: MapKey): CelValue | undefined {
  if (map instanceof CelMap) return map.get(key);
  if (typeof key !== 'string' || !Object.hasOwn(map, key)) return undefined;
  return adapt(map[key]);
}

export function* mapEntries(map: AnyMap): Generator<readonly [key: CelValue, value: CelValue]> {
  if (map instanceof CelMap) yield* map.entries();
  else for (const key of keysOf(map)) yield [key, adapt(map[key])];
}

export function mapKeys(map: AnyMap): readonly CelValue[] {
  if (!(map instanceof CelMap)) return keysOf(map);
  work(map.size);
  return Array.from(map.entries(), ([key]) => key);
}

function isNumber(value: CelValue): value is number | bigint | Uint | Double {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint || value instanceof Double;
}

function bare(value: CelValue): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Uint || value instanceof Double) return value.value;
  return undefined;
}

function numericEquals(a: CelValue, b: CelValue): boolean {
  const left = bare(a);
  const right = bare(b);
  if (left === undefined || right === undefined) return false;
  return a instanceof Double || b instanceof Double ? Number(left) === Number(right) : BigInt(left) === BigInt(right);
}

/** The order of two values: negative, 0, positive, or NaN when a double is. Throws when they have no order. */
export function compare(a: CelValue, b: CelValue): number {
  work(1);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  const left = bare(a);
  const right = bare(b);
  if (left !== undefined && right !== undefined) {
    // An int next to a double is compared as a double, as upstream does, also where that loses digits.
    return a instanceof Double || b instanceof Double
      ? compareBare(Number(left), Number(right))
      : compareBare(left, right);
  }
  if (a instanceof Timestamp && b instanceof Timestamp) return compareBare(a.nanoseconds, b.nanoseconds);
  if (a instanceof Duration && b instanceof Duration) return compareBare(a.nanoseconds, b.nanoseconds);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  throw new CelError('no such overload');
}

function compareBare(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return a == b ? 0 : Number.NaN;
}

/** By code points, as Go orders by UTF-8 bytes; UTF-16 differs only where a surrogate meets U+E000 and above. */
function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const limit = Math.min(a.length, b.length);
  for (let index = 0; index < limit; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) {
      work(index / 4);
      return left >= 0xd800 && right >= 0xd800 ? surrogateOrder(left) - surrogateOrder(right) : left - right;
    }
  }
  work(limit / 4);
  return a.length - b.length;
}

const surrogateOrder = (unit: number): number => (unit < 0xe000 ? unit + 0x2000 : unit - 0x800);
