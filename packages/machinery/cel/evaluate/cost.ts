import { isMap, mapEntries, mapSize } from './equality.ts';
import { formatRegexSize } from '../library/format.ts';
import { stringSize } from '../library/standard.ts';
import { isList, Optional, type CelValue } from '../values.ts';
import { work } from '../work.ts';

type Cost = (values: readonly CelValue[], result: CelValue) => number;

/** Factors of the cost of strings and of regular expressions, for each code point (cel-go, common/cost.go). */
export const stringFactor = 0.1;
export const regexFactor = 0.25;
/** What making a list costs, beside its elements. */
export const listCost = 10;

/** The size that a cost counts: of strings, bytes, lists and maps their length, of all else 1. */
function actualSize(value: CelValue | undefined): number {
  if (typeof value === 'string') return stringSize(value);
  if (value === undefined) return 1;
  if (value instanceof Uint8Array || isList(value)) return value.length;
  if (value instanceof Optional && value.value !== undefined) return actualSize(value.value);
  return isMap(value) ? mapSize(value) : 1;
}

const stringCost = (size: number, factor = 1): number => Math.ceil(size * factor * stringFactor);

const first: Cost = ([value]) => stringCost(actualSize(value));
const firstTwice: Cost = ([value]) => stringCost(actualSize(value), 2);
const smaller: Cost = ([a, b]) => {
  if (typeof a !== 'object' && typeof b !== 'object' && typeof a !== 'string' && typeof b !== 'string') return 1;
  return stringCost(Math.min(actualSize(a), actualSize(b)));
};
const both: Cost = ([a, b]) => stringCost(actualSize(a) + actualSize(b));
const regex: Cost = ([text, pattern]) =>
  stringCost(1 + actualSize(text)) * Math.ceil(actualSize(pattern) * regexFactor);

const pairs =
  (factor: number): Cost =>
  ([a, b]) =>
    1 + actualSize(a) * actualSize(b) * factor;

const byOverload: ReadonlyMap<string, Cost> = new Map<string, Cost>([
  ...[
    'starts_with_string',
    'ends_with_string',
    'string_to_bytes',
    'bytes_to_string',
    'strings_quote',
    'string_format',
  ].map((id) => [id, first] as const),
  ...['less', 'less_equals', 'greater', 'greater_equals'].flatMap((name) =>
    ['string', 'bytes'].map((type) => [`${name}_${type}`, smaller] as const),
  ),
  ['equals', smaller],
  ['not_equals', smaller],
  ['in_list', ([, list]) => actualSize(list)],
  ['add_string', both],
  ['add_bytes', both],
  ['matches_string', regex],
  ['contains_string', ([text, part]) => stringCost(actualSize(text)) * stringCost(actualSize(part))],
  ['cidr_ip', () => 1],
  ['list_sets_contains_list', pairs(1)],
  ['list_sets_intersects_list', pairs(1)],
  ['list_sets_equivalent_list', pairs(2)],
]);

/** The functions of Kubernetes' libraries (apiserver, pkg/cel/library/cost.go). */
const byFunction: ReadonlyMap<string, Cost | number> = new Map<string, Cost | number>([
  ['check', 350_000],
  ...['fieldSelector', 'labelSelector'].map((name) => [name, selector] as const),
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map(
    (name) => [name, ([value]: readonly CelValue[]) => traversalCost(value as CelValue)] as const,
  ),
  ...[
    'url',
    'lowerAscii',
    'upperAscii',
    'substring',
    'trim',
    'jsonpatch.escapeKey',
    'cidr',
    'isIP',
    'isCIDR',
    'ip',
    'quantity',
    'isQuantity',
    'semver',
    'isSemver',
  ].map((name) => [name, first] as const),
  ...['replace', 'split', 'ip.isCanonical'].map((name) => [name, firstTwice] as const),
  ['join', (_values, result) => stringCost(actualSize(result), 2)],
  ['validate', ([format, text]) => stringCost(1 + actualSize(text)) * Math.ceil(formatRegexSize(format) * regexFactor)],
  ...['slice', 'lists.range', 'reverse'].map(
    (name) => [name, (_values: readonly CelValue[], result: CelValue) => listOf(actualSize(result))] as const,
  ),
  ['flatten', ([list, depth]) => listOf(actualSize(list), depth === undefined ? 1 : Number(depth))],
  ['distinct', ([list]) => compared(list)],
  ['sort', ([list]) => compared(list)],
  ['@sortByAssociatedKeys', ([, keys]) => compared(keys)],
  ['find', regex],
  ['findAll', regex],
  ['containsIP', ([, other]) => 1 + (typeof other === 'string' ? stringCost(actualSize(other)) : 0)],
  ['containsCIDR', ([, other]) => 3 + (typeof other === 'string' ? stringCost(actualSize(other)) : 0)],
]);

/** A call that makes a list of so many elements (cel-go, ext/lists.go). */
const listOf = (size: number, factor = 1): number => Math.floor(size * factor) + 1 + listCost;

function compared(list: CelValue | undefined): number {
  const size = actualSize(list);
  const [head] = isList(list as CelValue) ? (list as readonly CelValue[]) : [];
  const isText = typeof head === 'string' || head instanceof Uint8Array;
  return listOf(size * size, size > 0 && isText ? 2 + stringFactor : 2);
}

function selector([, text]: readonly CelValue[]): number {
  const size = actualSize(text);
  return 10 + stringCost(size) + Math.ceil(size * 0.5) * 50;
}

/** What it costs to walk a value: strings by their length, all other scalars 1. */
function traversalCost(value: CelValue): number {
  work(1);
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * stringFactor);
  if (value instanceof Uint8Array) return Math.floor(value.length * stringFactor);
  if (isList(value)) return value.reduce<number>((sum, element) => sum + traversalCost(element), 0);
  if (!isMap(value)) return 1;
  let sum = 0;
  for (const [key, held] of mapEntries(value)) sum += traversalCost(key) + traversalCost(held);
  return sum;
}

/** The cost of a call, as a number when it is constant. */
export function callCost(name: string, overload: string): Cost | number {
  return (
    byOverload.get(overload === 'cidr_ip' ? overload : '') ?? byFunction.get(name) ?? byOverload.get(overload) ?? 1
  );
}
