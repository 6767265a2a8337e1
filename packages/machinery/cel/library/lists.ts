import { add, elements } from '../evaluate/arithmetic.ts';
import { compare, equals } from '../evaluate/equality.ts';
import { CelCostError, CelError } from '../errors.ts';
import { functionTable, type OverloadRow } from '../function.ts';
import { work } from '../work.ts';
import { adapt, Double, Duration, isList, Optional, Uint, valueType, type CelValue } from '../values.ts';

type List = readonly CelValue[];

const summable: Readonly<Record<string, CelValue>> = {
  int: 0,
  uint: new Uint(0n),
  double: new Double(0),
  duration: new Duration(0n),
};
const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];

function isSorted(list: List): boolean {
  return list.every((element, index) => index === 0 || compare(adapt(list[index - 1]), adapt(element)) <= 0);
}

function extreme(name: 'min' | 'max'): (list: List) => CelValue {
  const sign = name === 'min' ? -1 : 1;
  return (list) => {
    if (list.length === 0) throw new CelError(`${name} called on empty list`);
    return elements(list).reduce((best, element) => (compare(element, best) * sign > 0 ? element : best));
  };
}

/** The elements in the order of their keys. */
function sortedBy(list: List, keys: List): List {
  if (list.length !== keys.length) {
    const sizes = `${list.length} and ${keys.length} elements respectively`;
    throw new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${sizes}`,
    );
  }
  const pairs = elements(keys).map((key, index) => ({ key, index }));
  const typeOf = (key: CelValue) => valueType(key).replace('double', 'int');
  if (pairs.some(({ key }) => typeOf(key) !== typeOf(pairs[0]!.key)))
    throw new CelError('list elements must have the same type');
  return pairs.toSorted((a, b) => compare(a.key, b.key)).map(({ index }) => at(list, index));
}

const isEqualTo =
  (value: CelValue) =>
  (element: CelValue): boolean =>
    equals(adapt(element), value);

function at(list: List, index: number | bigint): CelValue {
  return adapt(list[Number(index)]);
}

function slice(list: List, start: number | bigint, end: number | bigint): List {
  if (start < 0 || end < 0) throw new CelError(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end)
    throw new CelError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > list.length) throw new CelError(`cannot slice(${start}, ${end}), list is length ${list.length}`);
  return list.slice(Number(start), Number(end));
}

function flatten(list: List, depth: number | bigint = 1): List {
  if (depth < 0) throw new CelError('level must be non-negative');
  return flat(list, Number(depth), []);
}

/** Throws `CelCostError` where lists that are within the list many times make it too long. */
function flat(list: List, depth: number, into: CelValue[]): List {
  work(list.length);
  if (into.length + list.length > rangeMax) throw new CelCostError();
  for (const element of list) {
    if (depth > 0 && isList(element)) flat(element, depth - 1, into);
    else into.push(element);
  }
  return into;
}

function distinct(list: List): List {
  const found: CelValue[] = [];
  for (const element of elements(list)) if (!found.some(isEqualTo(element))) found.push(element);
  return found;
}

/** A list of numbers is made before its cost is counted: this is the most that is made. */
const rangeMax = 1_000_000;

function range(end: number | bigint): List {
  if (end < 0) throw new CelError(`lists.range: size must be non-negative, got ${end}`);
  if (end > rangeMax) throw new CelError(`lists.range: size ${end} exceeds maximum allowed (${rangeMax})`);
  return Array.from({ length: Number(end) }, (_, index) => index);
}

const rows: OverloadRow[] = [
  ...comparable.flatMap((type): OverloadRow[] => [
    ['isSorted', `list_${type}_is_sorted_bool`, `list(${type}).() bool`, isSorted],
    ['min', `list_${type}_min_${type}`, `list(${type}).() ${type}`, extreme('min')],
    ['max', `list_${type}_max_${type}`, `list(${type}).() ${type}`, extreme('max')],
    ['sort', `list_${type}_sort`, `list(${type}).() list(${type})`, (list: List) => sortedBy(list, list)],
    [
      '@sortByAssociatedKeys',
      `list_${type}_sortByAssociatedKeys`,
      `list(A).(list(${type})) list(A)`,
      (list: List, keys: List) => sortedBy(list, keys),
    ],
  ]),
  ...Object.entries(summable).map(([type, zero]): OverloadRow => [
    'sum',
    `list_${type}_sum_${type}`,
    `list(${type}).() ${type}`,
    (list: List) => elements(list).reduce(add, zero),
  ]),
  [
    'indexOf',
    'list_a_index_of_int',
    'list(A).(A) int',
    (list: List, value: CelValue) => list.findIndex(isEqualTo(value)),
  ],
  [
    'lastIndexOf',
    'list_a_last_index_of_int',
    'list(A).(A) int',
    (list: List, value: CelValue) => list.findLastIndex(isEqualTo(value)),
  ],
  ['slice', 'list_slice', 'list(A).(int, int) list(A)', slice],
  ['flatten', 'list_flatten', 'list(list(A)).() list(A)', (list: List) => flatten(list)],
  ['flatten', 'list_flatten_int', 'list(dyn).(int) list(dyn)', flatten],
  ['distinct', 'list_distinct', 'list(A).() list(A)', distinct],
  ['reverse', 'list_reverse', 'list(A).() list(A)', (list: List) => list.toReversed()],
  ['lists.range', 'lists_range', '(int) list(int)', range],
  ['first', 'list_first', 'list(A).() optional(A)', (list: List) => firstOf(list, 0)],
  ['last', 'list_last', 'list(A).() optional(A)', (list: List) => firstOf(list, list.length - 1)],
];

function firstOf(list: List, index: number): Optional {
  return list.length === 0 ? Optional.none : new Optional(at(list, index));
}

/** Lists: Kubernetes' own functions and those of cel-go's extension (version 3). */
export const listsLibrary = functionTable(rows);
