import { listCost, regexFactor, stringFactor } from '../evaluate/cost.ts';
import { addRanges, fixed, multiplyRanges, scaleRange, unknownSize, type Range } from './estimate-range.ts';
import type { CelType } from '../types.ts';

/** An argument of a call whose cost is estimated. */
export interface Operand {
  readonly type: CelType;
  readonly size: Range;
  /** For lists, the size of an element as far as it is known. */
  readonly elementSize: Range;
  /** The value, where it stands in the expression. */
  readonly literal?: unknown;
}

/** What a call costs, without its arguments, and how large its result is, if that can be said. */
export interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
}

type Estimate = (operands: readonly Operand[], overload: string) => CallEstimate;

const sizeOf = (operand: Operand | undefined): Range => operand?.size ?? unknownSize;
const walk = (size: Range, factor = 1): Range => scaleRange(size, factor * stringFactor);
const one: CallEstimate = { cost: fixed(1) };

/** A walk over the first operand; the result is as large. */
const first: Estimate = ([text]) => ({ cost: walk(sizeOf(text)), size: sizeOf(text) });
const firstUnsized: Estimate = ([text]) => ({ cost: walk(sizeOf(text)) });
const firstTwice: Estimate = ([text]) => ({ cost: walk(sizeOf(text), 2) });

const regex: Estimate = ([text, pattern]) => ({
  cost: multiplyRanges(walk(addRanges(sizeOf(text), fixed(1))), scaleRange(sizeOf(pattern), regexFactor)),
});

const smaller: Estimate = ([a, b]) => {
  const max = Math.min(sizeOf(a).max, sizeOf(b).max);
  return { cost: walk({ min: max > 0 ? 1 : 0, max }) };
};

const sum: Estimate = ([a, b]) => {
  const size = addRanges(sizeOf(a), sizeOf(b));
  return { cost: walk(size), size };
};

/** A comparison of each element of a list; strings are walked. */
const perElement: Estimate = ([list]) => {
  if (list?.type.kind !== 'list') return { cost: list?.type.kind === 'string' ? walk(sizeOf(list)) : sizeOf(list) };
  const { element } = list.type;
  const isText = element.kind === 'string' || element.kind === 'bytes';
  return { cost: multiplyRanges(sizeOf(list), isText ? addRanges(fixed(1), walk(list.elementSize)) : fixed(1)) };
};

const replace: Estimate = ([text, from, to]) => {
  const size = sizeOf(text);
  const longest = (count: number, less: number): number =>
    less === 0 ? (count + 1) * sizeOf(to).max + count : Math.ceil(count / less) * sizeOf(to).max;
  const isLonger = sizeOf(from).min === 0 || sizeOf(to).max > sizeOf(from).min;
  const max = isLonger ? longest(size.max, sizeOf(from).min) : size.max;
  return { cost: walk(size, 2), size: { min: 0, max: Math.min(max, unknownSize.max) } };
};

const join: Estimate = ([list, separator]) => {
  const { min, max } = sizeOf(list);
  const gaps = { min: Math.max(0, min - 1), max: Math.max(0, max - 1) };
  const own = multiplyRanges(sizeOf(list), list?.elementSize ?? unknownSize);
  const size = separator === undefined ? own : addRanges(own, multiplyRanges(separator.size, gaps));
  return { cost: walk(size), size };
};

/** A call that makes a list (cel-go, ext/lists.go). */
const listOf = (size: Range, factor = 1): CallEstimate => ({
  cost: addRanges(scaleRange(size, factor), fixed(1 + listCost)),
  size,
});

const countOf = (operand: Operand | undefined, otherwise: number): number =>
  typeof operand?.literal === 'number' ? Math.max(0, operand.literal) : otherwise;

const slice: Estimate = ([list, from, to]) => {
  const size = countOf(to, sizeOf(list).max) - countOf(from, 0);
  return listOf(fixed(size < 0 ? unknownSize.max : size));
};

/** Every element is compared with every other. */
const sorted =
  (place: number): Estimate =>
  (operands, overload) => {
    const size = sizeOf(operands[place]);
    const isText = overload.startsWith('list_string_') || overload.startsWith('list_bytes_');
    return listOf(multiplyRanges(size, size), isText ? 2 + stringFactor : 2);
  };

/** Four bytes of IPv4 to sixteen of IPv6, compared. */
const address: Range = { min: 4, max: 16 };
const parsed = (operands: readonly Operand[]): Range => walk(sizeOf(operands[1]));

const byFunction: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ['check', () => ({ cost: fixed(350_000) })],
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map((name) => [name, perElement] as const),
  ...['url', 'jsonpatch.escapeKey', 'lowerAscii', 'upperAscii', 'substring', 'trim'].map(
    (name) => [name, first] as const,
  ),
  ...['cidr', 'isIP', 'isCIDR', 'ip', 'quantity', 'isQuantity', 'semver', 'isSemver'].map(
    (name) => [name, firstUnsized] as const,
  ),
  ['ip.isCanonical', firstTwice],
  ['replace', replace],
  ['split', ([text]) => ({ cost: walk(sizeOf(text), 2), size: { min: 0, max: sizeOf(text).max } })],
  ['join', join],
  ['find', (operands, id) => ({ ...regex(operands, id), size: { min: 0, max: sizeOf(operands[0]).max } })],
  ['findAll', (operands, id) => ({ ...regex(operands, id), size: { min: 0, max: sizeOf(operands[0]).max } })],
  ['fieldSelector', selector],
  ['labelSelector', selector],
  [
    'containsIP',
    (operands, id) => ({
      cost: addRanges(walk(address, 2), id === 'cidr_contains_ip_string' ? parsed(operands) : fixed(0)),
    }),
  ],
  [
    'containsCIDR',
    (operands, id) => ({
      cost: addRanges(
        walk(address, 2),
        walk(address),
        fixed(1),
        id === 'cidr_contains_cidr_string' ? parsed(operands) : fixed(0),
      ),
    }),
  ],
  ['slice', slice],
  ['lists.range', ([count]) => listOf(fixed(countOf(count, unknownSize.max)))],
  ['reverse', ([list]) => listOf(sizeOf(list))],
  ['flatten', ([list, depth]) => listOf(sizeOf(list), depth ? countOf(depth, unknownSize.max) : 1)],
  ['distinct', ([list]) => listOf(multiplyRanges(sizeOf(list), sizeOf(list)), 2)],
  ['sort', sorted(0)],
  ['@sortByAssociatedKeys', sorted(1)],
  ['validate', (operands) => ({ cost: scaleRange(parsed(operands), 128 * regexFactor) })],
]);

function selector([, text]: readonly Operand[]): CallEstimate {
  return { cost: addRanges(fixed(10), walk(sizeOf(text)), scaleRange(scaleRange(sizeOf(text), 0.5), 50)) };
}

const opaqueEquality: ReadonlySet<string> = new Set(['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver']);

const byOverload: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ['string_format', firstUnsized],
  [
    'string_to_bytes',
    ([text]) => ({ cost: walk(sizeOf(text)), size: { min: sizeOf(text).min, max: sizeOf(text).max * 4 } }),
  ],
  [
    'bytes_to_string',
    ([text]) => ({ cost: walk(sizeOf(text)), size: { min: Math.floor(sizeOf(text).min / 4), max: sizeOf(text).max } }),
  ],
  ['starts_with_string', ([, part]) => ({ cost: walk(sizeOf(part)) })],
  ['ends_with_string', ([, part]) => ({ cost: walk(sizeOf(part)) })],
  ['in_list', ([, list]) => ({ cost: sizeOf(list) })],
  ['matches_string', regex],
  ['contains_string', ([text, part]) => ({ cost: multiplyRanges(walk(sizeOf(text)), walk(sizeOf(part))) })],
  ['add_string', sum],
  ['add_bytes', sum],
  ['add_list', ([a, b]) => ({ cost: fixed(1), size: addRanges(sizeOf(a), sizeOf(b)) })],
  ['cidr_ip', () => one],
  [
    'equals',
    (operands, id) => {
      const [a, b] = operands.map(({ type }) => (type.kind === 'opaque' ? type.name : undefined));
      return a !== undefined && a === b && opaqueEquality.has(a) ? one : smaller(operands, id);
    },
  ],
  ['not_equals', smaller],
  ...['less', 'less_equals', 'greater', 'greater_equals'].flatMap((name) =>
    ['string', 'bytes'].map((type) => [`${name}_${type}`, smaller] as const),
  ),
]);

/** Estimates a call as upstream does (cel-go, checker/cost.go; apiserver, pkg/cel/library/cost.go). */
export function estimateCall(name: string, overload: string, operands: readonly Operand[]): CallEstimate {
  const estimate = (overload === 'cidr_ip' ? undefined : byFunction.get(name)) ?? byOverload.get(overload);
  return estimate?.(operands, overload) ?? one;
}
