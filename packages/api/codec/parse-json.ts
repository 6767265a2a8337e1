import { exactInteger, hasLongDigits, withSource } from '@kubernode/machinery';
import { DecodeError } from './decode-error.ts';
import { jsonSyntaxError } from './json-syntax.ts';
import { checkSizeOfJson } from './parts.ts';

/** As sigs.k8s.io/json has it: no body nests its objects and lists deeper. */
const textNestingMax = 10_000;

/** What has more digits is too large for a double, too. */
const integerCharactersMax = 311;

/** How a number ends that is written with a fraction or an exponent. Text in a string may look so, too. */
const fractionEnd = /[.eE][+-]?\d+\s*(?:[,}\]]|$)/;

/**
 * JSON text → value. Integers that a number does not hold are bigints. A number with a fraction or an exponent, which Go
 * never takes for an integer, or with hundreds of digits, is a symbol of its text: no reader takes it for anything else by
 * mistake, and `numberOf` tells its value. Throws DecodeError, worded as Go words it, and RequestEntityTooLarge.
 */
export function parseJson(text: string, nestingMax = textNestingMax): unknown {
  checkSizeOfJson(text, nestingMax);
  return parsed(text);
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
