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

/** A number that every double holds. */
const usualNumber = /-?\d{1,15}(?![\d.eE])/y;
const [colon, bracket, comma, quote] = [58, 91, 44, 34];

/** JSON text → value. Throws DecodeError, worded as Go words it, also for numbers beyond a double. */
export function parseJson(text: string, nestingMax = textNestingMax): ParsedJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DecodeError(jsonSyntaxError(text));
  }
  if (text.length > 2 * nestingMax && nestingOf(text) > nestingMax) throw new DecodeError('exceeded max depth');
  return areUsual(text) ? { value } : parseNumbers(text, value);
}

/**
 * Whether all numbers are usual ones. One pass, for this is done with every body; where text in a string looks like a
 * number, too much is looked at again, never too little.
 */
function areUsual(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const mark = text.charCodeAt(at);
    if (mark !== colon && mark !== comma && mark !== bracket) continue;
    let next = at + 1;
    while (isSpace(text.charCodeAt(next))) next++;
    const code = text.charCodeAt(next);
    if (code !== 45 && (code < 48 || code > 57)) continue;
    // A key ends with a quote: `"image":"nginx:1.25"` is no number.
    const before = text.charCodeAt(at - 1);
    if (mark === colon && before !== quote && !isSpace(before)) continue;
    usualNumber.lastIndex = next;
    if (!usualNumber.test(text)) return false;
  }
  return true;
}

const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9;

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
