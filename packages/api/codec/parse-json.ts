import { exactInteger, hasLongDigits, withSource } from '@kubernode/machinery';
import { DecodeError } from './decode-error.ts';
import { jsonSyntaxError } from './json-syntax.ts';

/** As sigs.k8s.io/json has it: no body nests its objects and lists deeper. */
const textNestingMax = 10_000;

/** What has more digits is too large for a double, too. */
const integerCharactersMax = 311;

/** How a number ends that is written with a fraction or an exponent. Text in a string may look so, too. */
const fractionEnd = /[.eE][+-]?\d+\s*(?:[,}\]]|$)/;

/**
 * JSON text → value. Integers that a number does not hold are bigints. A number with a fraction or an exponent, which Go
 * never takes for an integer, or with hundreds of digits, is a symbol of its text: no reader takes it for anything else by
 * mistake, and `numberOf` tells its value. Throws DecodeError, worded as Go words it.
 */
export function parseJson(text: string, nestingMax = textNestingMax): unknown {
  const value = parsed(text);
  if (text.length > 2 * nestingMax && nestingOf(text) > nestingMax) throw new DecodeError('exceeded max depth');
  return value;
}

function parsed(text: string): unknown {
  try {
    // Most texts have ordinary numbers alone, and a reviver costs ten times as much as the parse.
    if (!hasLongDigits(text) && !fractionEnd.test(text)) return JSON.parse(text) as unknown;
    return JSON.parse(text, withSource(asWritten)) as unknown;
  } catch (error) {
    // The reviver recurses.
    throw new DecodeError(error instanceof RangeError ? 'exceeded max depth' : jsonSyntaxError(text));
  }
}

function asWritten(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  const isInteger = source.length <= integerCharactersMax && !/[.eE]/.test(source);
  return isInteger ? exactInteger(source) : Symbol(source);
}

/** The value of a number that `parseJson` left as it is written. Throws DecodeError where no double holds it. */
export function numberOf(written: symbol): number {
  const number = Number(written.description);
  if (!Number.isFinite(number)) throw DecodeError.number(written.description ?? '', 'float64');
  return number;
}

/** How deep objects and lists are in one another. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) at = closingQuote(text, at);
    else if (code === 123 || code === 91) deepest = Math.max(deepest, ++depth);
    else if (code === 125 || code === 93) depth--;
  }
  return deepest;
}

/** Index of the quote that ends the string which starts at `open`. The text is valid JSON. */
export function closingQuote(text: string, open: number): number {
  let end = text.indexOf('"', open + 1);
  while (text.charCodeAt(end - 1) === 92 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === 92) backslashes++;
  return backslashes % 2 === 1;
}
