/** A size or a cost that is known only to lie between two numbers; beyond 64 bits it stays at the most. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

const most = 2 ** 64;
const cap = (value: number): number => (value >= most || Number.isNaN(value) ? most : value);

export const fixed = (value: number): Range => ({ min: value, max: value });
export const unknownSize: Range = { min: 0, max: most };

export function addRanges(...ranges: readonly Range[]): Range {
  return ranges.reduce((a, b) => ({ min: cap(a.min + b.min), max: cap(a.max + b.max) }), fixed(0));
}

export function multiplyRanges(a: Range, b: Range): Range {
  return { min: product(a.min, b.min), max: product(a.max, b.max) };
}

const product = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : cap(a * b));

/** A range times a factor, rounded up. */
export function scaleRange(range: Range, factor: number): Range {
  return { min: cap(Math.ceil(range.min * factor)), max: cap(Math.ceil(range.max * factor)) };
}

export function uniteRanges(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
