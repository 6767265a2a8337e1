/*
 * Integers of JSON. Those that a number holds exactly, up to ±(2^53 − 1), are numbers; those beyond are bigints. So a
 * number beyond is always a double: it was written with a fraction or an exponent, or does not fit into 64 bits.
 *
 * TypeScript's types say `number` for both: such integers are rare, and what most code does with them (to compare, to
 * copy, to print) is right for both. Who computes with a field of 64 bits takes `Number(field)` first.
 */

/** With fewer digits, every integer is exact. */
const longDigits = 16;
/** With more, none fits into 64 bits; to make bigints of a million digits takes time. */
const longInteger = /^-?\d{16,20}$/;

/** JSON.parse, but that integers of 64 bits which a number does not hold are bigints. Throws SyntaxError. */
export function parseJsonExactly(text: string): unknown {
  return hasLongDigits(text) ? JSON.parse(text, withSource(exact)) : JSON.parse(text);
}

/**
 * Whether a text of JSON may have an integer that a number does not hold: so many digits, between what stands around a
 * number. It looks at one character of sixteen: for ordinary texts it costs next to nothing. Digits in a string may look
 * so, too; those of a checksum do not.
 */
export function hasLongDigits(text: string): boolean {
  for (let at = longDigits - 1; at < text.length; at += longDigits) {
    if (!isDigit(text, at)) continue;
    let first = at;
    while (isDigit(text, first - 1)) first--;
    let last = at;
    while (isDigit(text, last + 1)) last++;
    if (last - first + 1 >= longDigits && isNumber(text, first, last)) return true;
    // Each digit is looked at once, however many there are.
    at = last;
  }
  return false;
}

const codesOf = (characters: string) => new Set(Array.from(characters, (character) => character.charCodeAt(0)));
const before = codesOf(':,[- \n\r\t');
const behind = codesOf(',]}.eE \n\r\t');

const isNumber = (text: string, first: number, last: number): boolean =>
  (first === 0 || before.has(text.charCodeAt(first - 1))) &&
  (last + 1 === text.length || behind.has(text.charCodeAt(last + 1)));

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** The integer that digits stand for. */
export function exactInteger(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

/** A bigint where a number does not hold it, a number otherwise. */
export function shortestInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

const [int64Min, int64Max] = [-(2n ** 63n), 2n ** 63n - 1n];

/** Whether a bigint fits into 64 bits: Go's untyped JSON has doubles for those that do not. */
export const isInt64 = (value: bigint): boolean => value >= int64Min && value <= int64Max;

type Reviver = (this: object, key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Node's types do not know the reviver's third argument. */
export const withSource = (reviver: Reviver) => reviver as (this: unknown, key: string, value: unknown) => unknown;

function exact(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || !longInteger.test(source)) return value;
  const integer = exactInteger(source);
  return typeof integer === 'bigint' && !isInt64(integer) ? value : integer;
}

/** JSON.stringify asks for it, before a replacer; without it, it refuses bigints. */
Object.defineProperty(BigInt.prototype, 'toJSON', {
  value(this: bigint): unknown {
    return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(this));
  },
  configurable: true,
  writable: true,
});
