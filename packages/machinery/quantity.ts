import { formatOf, parseQuantity, type ParsedQuantity } from './quantity-parse.ts';

/** A quantity as the API carries it. */
type QuantityText = string | number;

/** Whether the text is a quantity: "1", "100m", "1.5Gi", "12e6". */
export function isQuantity(text: unknown): boolean {
  if (typeof text !== 'string' && typeof text !== 'number') return false;
  try {
    parseQuantity(String(text));
    return true;
  } catch {
    return false;
  }
}

/**
 * The form that the API server stores and shows: the largest suffix without a fraction ("1000m" → "1", "1024Mi" →
 * "1Gi"), in the family of suffixes it was written with. Throws with upstream's message on what is not a quantity.
 */
export function canonicalQuantity(text: QuantityText): string {
  const quantity = parse(text);
  return quantity.text ?? formatOf(quantity);
}

/** The value as an integer, fractions rounded away from zero: "1500m" → 2, "1Ki" → 1024. */
export function quantityValue(text: QuantityText): number {
  return scaled(text, 0);
}

/** The value in thousandths, rounded away from zero: "0.1" → 100, "1" → 1000. */
export function quantityMilli(text: QuantityText): number {
  return scaled(text, -3);
}

/** The exact value as an integer of units of 10^exponent, rounded away from zero. */
export function quantityScaled(text: QuantityText, exponent: number): bigint {
  return roundedTo(parse(text), exponent);
}

/** Negative, 0 or positive, by value: "1000m" equals "1". */
export function compareQuantities(a: QuantityText, b: QuantityText): number {
  if (a === b) return 0;
  const left = parse(a);
  const right = parse(b);
  const exponent = Math.min(left.exponent, right.exponent);
  const difference = unitsOf(left, exponent) - unitsOf(right, exponent);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The exact sum, canonical, in the suffixes of `a` (of `b` where `a` is zero). */
export function addQuantities(a: QuantityText, b: QuantityText): string {
  return combine(parse(a), parse(b), 1n);
}

/** The exact difference, canonical, in the suffixes of `a` (of `b` where `a` is zero). */
export function subtractQuantities(a: QuantityText, b: QuantityText): string {
  return combine(parse(a), parse(b), -1n);
}

/** A count as a quantity; `format` chooses between "1Gi" and "1073741824". */
export function quantityOf(value: number | bigint, format: 'BinarySI' | 'DecimalSI' = 'DecimalSI'): string {
  return formatOf({ mantissa: BigInt(value), exponent: 0, format, text: undefined });
}

/** Thousandths as a quantity: 1500 → "1500m", 2000 → "2". */
export function quantityOfMilli(milli: number | bigint): string {
  return formatOf({ mantissa: BigInt(milli), exponent: -3, format: 'DecimalSI', text: undefined });
}

function combine(a: ParsedQuantity, b: ParsedQuantity, sign: 1n | -1n): string {
  const exponent = Math.min(a.exponent, b.exponent);
  const mantissa = unitsOf(a, exponent) + sign * unitsOf(b, exponent);
  return formatOf({ mantissa, exponent, format: a.mantissa === 0n ? b.format : a.format, text: undefined });
}

/** A quantity's size in units of 10^exponent, which is at most the quantity's own. */
function unitsOf(quantity: ParsedQuantity, exponent: number): bigint {
  if (quantity.exponent === exponent || quantity.mantissa === 0n) return quantity.mantissa;
  return quantity.mantissa * 10n ** BigInt(quantity.exponent - exponent);
}

function roundedTo(quantity: ParsedQuantity, exponent: number): bigint {
  if (quantity.exponent >= exponent) return unitsOf(quantity, exponent);
  const divisor = 10n ** BigInt(exponent - quantity.exponent);
  const whole = quantity.mantissa / divisor;
  if (whole * divisor === quantity.mantissa) return whole;
  return quantity.mantissa < 0n ? whole - 1n : whole + 1n;
}

/**
 * Schedulers and controllers read the same few quantities again and again: plain digits with an ordinary suffix never
 * touch a bigint.
 */
function scaled(text: QuantityText, exponent: 0 | -3): number {
  if (typeof text === 'number' && text >= 0 && Number.isSafeInteger(text * 1000)) {
    return exponent === 0 ? Math.ceil(text) : text * 1000;
  }
  const fast = typeof text === 'string' ? fastMilli(text) : undefined;
  if (fast !== undefined) return exponent === -3 ? fast : Math.ceil(fast / 1000);
  return Number(roundedTo(parse(text), exponent));
}

/** Thousandths of digits with an optional ordinary suffix; undefined for everything else and for what is too big. */
function fastMilli(text: string): number | undefined {
  const { length } = text;
  let digits = 0;
  let index = 0;
  for (; index < length && index < 15; index += 1) {
    const code = text.charCodeAt(index) - 48;
    if (code < 0 || code > 9) break;
    digits = digits * 10 + code;
  }
  if (index === 0) return undefined;
  const factor = index === length ? 1000 : fastFactors.get(text.slice(index));
  if (factor === undefined) return undefined;
  const milli = digits * factor;
  return milli <= Number.MAX_SAFE_INTEGER ? milli : undefined;
}

const fastFactors: ReadonlyMap<string, number> = new Map([
  ['m', 1],
  ['k', 1e6],
  ['M', 1e9],
  ['G', 1e12],
  ['Ki', 1024e3],
  ['Mi', 1024 ** 2 * 1e3],
  ['Gi', 1024 ** 3 * 1e3],
]);

function parse(text: QuantityText): ParsedQuantity {
  return parseQuantity(typeof text === 'number' ? String(text) : text);
}
