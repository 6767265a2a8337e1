import { add, divide, modulo, multiply, negate, subtract } from '../evaluate/arithmetic.ts';
import { compare, equals, isMap, mapGet, mapSize, type AnyMap } from '../evaluate/equality.ts';
import { CelError } from '../errors.ts';
import { work } from '../work.ts';
import { functionTable, type OverloadRow } from '../function.ts';
import { adapt, CelMap, mapKey, TypeValue, valueType, type CelValue } from '../values.ts';

const numbers = ['int', 'uint', 'double'] as const;
const overloadNames: Readonly<Record<string, string>> = { int: 'int64', uint: 'uint64' };
const idOf = (type: string): string => overloadNames[type] ?? type;

const arithmetic = (name: string, id: string, types: readonly string[], implement: OverloadRow[3]): OverloadRow[] =>
  types.map((type) => [name, `${id}_${idOf(type)}`, `(${type}, ${type}) ${type}`, implement]);

const less = (a: CelValue, b: CelValue): boolean => compare(a, b) < 0;
const lessOrEqual = (a: CelValue, b: CelValue): boolean => compare(a, b) <= 0;
const greater = (a: CelValue, b: CelValue): boolean => compare(a, b) > 0;
const greaterOrEqual = (a: CelValue, b: CelValue): boolean => compare(a, b) >= 0;

/** An order of each type with itself, and of numbers across their types. */
function ordering(name: string, id: string, implement: OverloadRow[3]): OverloadRow[] {
  const same = ['bool', ...numbers, 'string', 'bytes', 'timestamp', 'duration'].map((type): OverloadRow => [
    name,
    `${id}_${idOf(type)}`,
    `(${type}, ${type}) bool`,
    implement,
  ]);
  const across = numbers.flatMap((left) =>
    numbers
      .filter((right) => right !== left)
      .map((right): OverloadRow => [name, `${id}_${idOf(left)}_${idOf(right)}`, `(${left}, ${right}) bool`, implement]),
  );
  return [...same, ...across];
}

const notEquals = (a: CelValue, b: CelValue): boolean => !equals(a, b);

function logicalValue(value: CelValue): CelValue {
  if (typeof value === 'boolean') return value;
  throw new CelError('no such overload');
}

/** The element of a list at an index, or of a map at a key. Throws `CelError` when there is none. */
export function index(container: CelValue, key: CelValue): CelValue {
  if (Array.isArray(container)) return listElement(container as readonly CelValue[], key);
  if (!isMap(container)) throw new CelError('no such overload');
  const at = mapKey(key);
  const found = at === undefined ? undefined : mapGet(container, at);
  if (found === undefined)
    throw at === undefined ? new CelError('unsupported key type') : new CelError(`no such key: ${String(at)}`);
  return found;
}

function listElement(list: readonly CelValue[], key: CelValue): CelValue {
  const at = mapKey(key);
  if (typeof at !== 'number' && typeof at !== 'bigint')
    throw new CelError(`unsupported index type '${valueType(key)}' in list`);
  if (at < 0 || at >= list.length) throw new CelError(`index out of bounds: ${at}`);
  return adapt(list[Number(at)]);
}

/** Whether a list holds an equal element, or a map an equal key. */
function contains(value: CelValue, container: CelValue): boolean {
  if (Array.isArray(container))
    return (container as readonly CelValue[]).some((element) => equals(value, adapt(element)));
  if (!isMap(container)) throw new CelError('no such overload');
  const key = mapKey(value);
  return key !== undefined && mapGet(container, key) !== undefined;
}

/** The number of code points of a string. */
export function stringSize(text: string): number {
  let size = text.length;
  work(size / 2);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00 && at + 1 < text.length) {
      size--;
      at++;
    }
  }
  return size;
}

function containsText(text: string, part: string): boolean {
  work((text.length * part.length) / 64);
  return text.includes(part);
}

const listSize = (list: readonly CelValue[]): number => list.length;
const bytesSize = (bytes: Uint8Array): number => bytes.length;

function mapInsert(map: CelMap, key: CelValue, value: CelValue): CelMap {
  map.insert(key, value);
  return map;
}

const rows: readonly OverloadRow[] = [
  ['_&&_', 'logical_and', '(bool, bool) bool', (a: CelValue, b: CelValue) => logicalValue(a) && logicalValue(b)],
  ['_||_', 'logical_or', '(bool, bool) bool', (a: CelValue, b: CelValue) => logicalValue(a) || logicalValue(b)],
  [
    '_?_:_',
    'conditional',
    '(bool, A, A) A',
    (condition: CelValue, a: CelValue, b: CelValue) => (condition === true ? a : b),
  ],
  ['!_', 'logical_not', '(bool) bool', (value: boolean) => !value],
  ['@not_strictly_false', 'not_strictly_false', '(bool) bool', (value: CelValue) => value !== false],
  ['_==_', 'equals', '(A, A) bool', equals],
  ['_!=_', 'not_equals', '(A, A) bool', notEquals],
  ...ordering('_<_', 'less', less),
  ...ordering('_<=_', 'less_equals', lessOrEqual),
  ...ordering('_>_', 'greater', greater),
  ...ordering('_>=_', 'greater_equals', greaterOrEqual),
  ...arithmetic('_+_', 'add', [...numbers, 'string', 'bytes', 'list(A)'], add).map(
    ([name, id, signature, implement]): OverloadRow => [name, id.replace('list(A)', 'list'), signature, implement],
  ),
  ['_+_', 'add_duration_duration', '(duration, duration) duration', add],
  ['_+_', 'add_duration_timestamp', '(duration, timestamp) timestamp', add],
  ['_+_', 'add_timestamp_duration', '(timestamp, duration) timestamp', add],
  ...arithmetic('_-_', 'subtract', numbers, subtract),
  ['_-_', 'subtract_duration_duration', '(duration, duration) duration', subtract],
  ['_-_', 'subtract_timestamp_duration', '(timestamp, duration) timestamp', subtract],
  ['_-_', 'subtract_timestamp_timestamp', '(timestamp, timestamp) duration', subtract],
  ...arithmetic('_*_', 'multiply', numbers, multiply),
  ...arithmetic('_/_', 'divide', numbers, divide),
  ...arithmetic('_%_', 'modulo', ['int', 'uint'], modulo),
  ...['int', 'double', 'duration'].map((type): OverloadRow => [
    '-_',
    `negate_${idOf(type)}`,
    `(${type}) ${type}`,
    negate,
  ]),
  ['_[_]', 'index_list', '(list(A), int) A', index],
  ['_[_]', 'index_map', '(map(A, B), A) B', index],
  ['@in', 'in_list', '(A, list(A)) bool', contains],
  ['@in', 'in_map', '(A, map(A, B)) bool', contains],
  ['size', 'size_string', '(string) int', stringSize],
  ['size', 'size_bytes', '(bytes) int', bytesSize],
  ['size', 'size_list', '(list(A)) int', listSize],
  ['size', 'size_map', '(map(A, B)) int', (map: AnyMap) => mapSize(map)],
  ['size', 'string_size', 'string.() int', stringSize],
  ['size', 'bytes_size', 'bytes.() int', bytesSize],
  ['size', 'list_size', 'list(A).() int', listSize],
  ['size', 'map_size', 'map(A, B).() int', (map: AnyMap) => mapSize(map)],
  ['type', 'type', '(A) type(A)', (value: CelValue) => new TypeValue(valueType(value))],
  ['dyn', 'to_dyn', '(A) dyn', (value: CelValue) => value],
  ['contains', 'contains_string', 'string.(string) bool', containsText],
  ['startsWith', 'starts_with_string', 'string.(string) bool', (text: string, part: string) => text.startsWith(part)],
  ['endsWith', 'ends_with_string', 'string.(string) bool', (text: string, part: string) => text.endsWith(part)],
  ['cel.@mapInsert', 'cel_@mapInsert_map_key_value', '(map(A, B), A, B) map(A, B)', mapInsert],
  [
    'cel.@mapInsert',
    'cel_@mapInsert_map_map',
    '(map(A, B), map(A, B)) map(A, B)',
    (map: CelMap, entries: AnyMap) => {
      const pairs = entries instanceof CelMap ? entries.entries() : Object.entries(entries);
      for (const [key, value] of pairs) map.insert(key, value);
      return map;
    },
  ],
];

/** Operators and the functions of the CEL specification that are neither conversions nor about time. */
export const standardLibrary = functionTable(rows);
