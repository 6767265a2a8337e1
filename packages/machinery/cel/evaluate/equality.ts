import { CelError } from '../errors.ts';
import { work } from '../work.ts';
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
  for (let index = 0; index < a.length; index++) {
    if (!equals(adapt(a[index]), adapt(b[index]))) return false;
  }
  return true;
}

const bytesEqual = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

function mapEquals(a: CelValue, b: CelValue): boolean {
  if (!isMap(a) || !isMap(b) || mapSize(a) !== mapSize(b)) return false;
  for (const [key, value] of mapEntries(a)) {
    const at = mapKey(key);
    const other = at === undefined ? undefined : mapGet(b, at);
    if (other === undefined || !equals(value, other)) return false;
  }
  return true;
}

/** An object with many keys makes their list anew. */
const keySteps = 10;

export type AnyMap = CelMap | CelObject;

export function isMap(value: CelValue): value is AnyMap {
  return value instanceof CelMap || isObject(value);
}

export function mapSize(map: AnyMap): number {
  if (map instanceof CelMap) return map.size;
  const { length } = Object.keys(map);
  work(length * keySteps);
  return length;
}

export function mapGet(map: AnyMap, key: MapKey): CelValue | undefined {
  if (map instanceof CelMap) return map.get(key);
  if (typeof key !== 'string' || !Object.hasOwn(map, key)) return undefined;
  return adapt(map[key]);
}

export function* mapEntries(map: AnyMap): Generator<readonly [key: CelValue, value: CelValue]> {
  if (map instanceof CelMap) yield* map.entries();
  else for (const key of Object.keys(map)) yield [key, adapt(map[key])];
}

export function mapKeys(map: AnyMap): CelValue[] {
  const keys = map instanceof CelMap ? Array.from(map.entries(), ([key]) => key) : Object.keys(map);
  work(keys.length * keySteps);
  return keys;
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
