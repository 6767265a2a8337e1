import { BoundedMap } from './bounded-map.ts';

/** A quantity taken apart: mantissa × 10^exponent, and the family of suffixes that it was written with. */
export interface ParsedQuantity {
  readonly mantissa: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /** The text itself where the server would keep it as it was written. */
  readonly text: string | undefined;
}

export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

const decimalExponents: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const decimalSuffixes = new Map([...decimalExponents].map(([suffix, exponent]) => [exponent, suffix]));
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const pattern = /^[+-]?(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[+-]?\d*)$/;
const exponentPattern = /^[eE]([+-]?\d+)$/;

/** Nothing finer than a billionth is kept. */
const exponentMin = -9;
/** A bound of our own: "1e999999999" must not make numbers of a gigabyte. */
const writtenExponentMax = 4096;
/** The digits, and as many that say nothing: the pattern tries a long text in many ways. */
const textMax = 2 * writtenExponentMax;
const binaryMax = 2n ** 63n - 1n;

const formatMessage = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const numericMessage = 'unable to parse numeric part of quantity';
const suffixMessage = "unable to parse quantity's suffix";

const recent = new BoundedMap<string, ParsedQuantity>(2048);

/** Parses with upstream's tolerance (leading zeros, "+1", ".5", "5.") and its messages; throws an Error. */
export function parseQuantity(text: string): ParsedQuantity {
  const known = recent.get(text);
  if (known) return known;
  const parsed = parseAnew(text);
  recent.set(text, parsed);
  return parsed;
}

function parseAnew(text: string): ParsedQuantity {
  if (text.length > textMax) throw new Error(numericMessage);
  const match = text === '' ? null : pattern.exec(text);
  if (!match) throw new Error(formatMessage);
  const whole = match[1]?.replace(/^0+/, '') || '0';
  const fraction = match[2] ?? '';
  const suffix = match[3] ?? '';
  if (whole.length + fraction.length > writtenExponentMax) throw new Error(numericMessage);
  const { power, format } = interpretSuffix(suffix);
  const digits = BigInt(whole + fraction);
  const sign = text.startsWith('-') ? -1n : 1n;
  if (digits === 0n) return { mantissa: 0n, exponent: 0, format, text: undefined };
  if (format === 'BinarySI') return parseBinary(text, whole, fraction, power, sign);
  const exponent = power - fraction.length;
  const kept = keepsDecimal(whole + fraction, exponent) ? text : undefined;
  return { ...roundToMin(digits, exponent, sign), format, text: kept };
}

function parseBinary(text: string, whole: string, fraction: string, power: number, sign: 1n | -1n): ParsedQuantity {
  let rounded = roundToMin(BigInt(whole + fraction) << BigInt(power), -fraction.length, sign);
  const unit = 10n ** BigInt(-rounded.exponent);
  const magnitude = rounded.mantissa * sign;
  if (magnitude > binaryMax * unit) rounded = { mantissa: binaryMax * sign, exponent: 0 };
  const precise = fraction === '' && 14 - whole.length - Math.floor((power * 3) / 10) >= 0;
  const kept = precise && (BigInt(whole) & 7n) !== 0n;
  return { ...rounded, format: magnitude < unit ? 'DecimalSI' : 'BinarySI', text: kept ? text : undefined };
}

/** Whether the server keeps the text: it is short, and its exponent already a multiple of three. */
function keepsDecimal(digits: string, exponent: number): boolean {
  if (digits.length > 18 || exponent < exponentMin) return false;
  return exponent % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

function roundToMin(digits: bigint, exponent: number, sign: 1n | -1n): { mantissa: bigint; exponent: number } {
  if (exponent >= exponentMin) return { mantissa: digits * sign, exponent };
  const divisor = 10n ** BigInt(exponentMin - exponent);
  return { mantissa: sign * ((digits + divisor - 1n) / divisor), exponent: exponentMin };
}

function interpretSuffix(suffix: string): { power: number; format: QuantityFormat } {
  const decimal = decimalExponents.get(suffix);
  if (decimal !== undefined) return { power: decimal, format: 'DecimalSI' };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return { power: binary * 10, format: 'BinarySI' };
  const written = exponentPattern.exec(suffix);
  const power = written ? Number(written[1]) : Number.NaN;
  if (!(Math.abs(power) <= writtenExponentMax)) throw new Error(suffixMessage);
  return { power, format: 'DecimalExponent' };
}

/** The canonical text: no fraction, the largest suffix that loses nothing. */
export function formatOf(quantity: ParsedQuantity): string {
  if (quantity.mantissa === 0n) return '0';
  const whole = quantity.format === 'BinarySI' ? wholeOf(quantity) : undefined;
  if (whole !== undefined && (whole <= -1024n || whole >= 1024n)) return formatBinary(whole);
  return formatDecimal(quantity);
}

function wholeOf({ mantissa, exponent }: ParsedQuantity): bigint | undefined {
  if (exponent >= 0) return mantissa * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return mantissa % divisor === 0n ? mantissa / divisor : undefined;
}

function formatBinary(whole: bigint): string {
  let amount = whole;
  let step = 0;
  while (step < binarySuffixes.length - 1 && amount % 1024n === 0n) {
    amount /= 1024n;
    step += 1;
  }
  return `${amount}${binarySuffixes[step]}`;
}

function formatDecimal({ mantissa, exponent, format }: ParsedQuantity): string {
  let amount = mantissa;
  let power = exponent;
  while (amount % 10n === 0n) {
    amount /= 10n;
    power += 1;
  }
  while (power % 3 !== 0) {
    amount *= 10n;
    power -= 1;
  }
  const suffix = format === 'DecimalExponent' ? undefined : decimalSuffixes.get(power);
  return `${amount}${suffix ?? (power === 0 ? '' : `e${power}`)}`;
}
