import { DecodeError } from './decode-error.ts';
import { jsonSyntaxError } from './json-syntax.ts';

/** As sigs.k8s.io/json has it: no body nests its objects and lists deeper. */
const textNestingMax = 10_000;

/**
 * Numbers that a double does not tell from others, by the object or list that holds them: written with a fraction or an
 * exponent, or with more digits than a double holds. Go takes none of the former for an integer.
 */
export type WrittenNumbers = WeakMap<object, ReadonlyMap<string, string>>;

export interface ParsedJson {
  readonly value: unknown;
  /** Only where there are any. */
  readonly written?: WrittenNumbers | undefined;
}

/** A number that is worth a second look. A few strings look so, too; `"image":"nginx:1.25"` does not. */
const unusualNumber = /(?:"\s*:|[,[])\s*-?\d+(?:[.eE]|\d{15})/;

/** JSON text → value. Throws DecodeError, worded as Go words it, also for numbers beyond a double. */
export function parseJson(text: string, nestingMax = textNestingMax): ParsedJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DecodeError(jsonSyntaxError(text));
  }
  if (text.length > 2 * nestingMax && nestingOf(text) > nestingMax) throw new DecodeError('exceeded max depth');
  return unusualNumber.test(text) ? parseNumbers(text, value) : { value };
}

function parseNumbers(text: string, value: unknown): ParsedJson {
  const written = new WeakMap<object, Map<string, string>>();
  let found = false;
  const note = function (this: object, key: string, item: unknown, { source }: { source?: string }) {
    if (typeof item !== 'number' || source === undefined || !/[.eE]|\d{16}/.test(source)) return item;
    if (!Number.isFinite(item)) throw DecodeError.number(source, 'float64');
    const known = written.get(this) ?? new Map<string, string>();
    written.set(this, known.set(key, source));
    found = true;
    return item;
  };
  try {
    // Node's types do not know the reviver's third argument.
    const withNotes: unknown = JSON.parse(text, note as (key: string, item: unknown) => unknown);
    return found ? { value: withNotes, written } : { value };
  } catch (error) {
    // The reviver recurses.
    if (error instanceof RangeError) return { value };
    throw error;
  }
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
