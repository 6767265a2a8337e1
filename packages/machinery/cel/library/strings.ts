import { CelCostError, CelError } from '../errors.ts';
import { functionTable } from '../function.ts';
import { work } from '../work.ts';
import { formatString } from './string-format.ts';

type Int = number | bigint;

/** Strings are counted in code points. Throws `CelCostError` for more than an evaluation may look at. */
function points(text: string): readonly string[] {
  work(text.length);
  return Array.from(text);
}

/** Looking for one text in another compares, at worst, all characters of both. */
const search = (text: string, part: string) => work((text.length * part.length) / 64);

/** Longer texts cost more than any evaluation may: they are not even made. */
const madeMax = 10_000_000;

/** Throws `CelCostError` where a text would get that long. */
function make(length: number): void {
  if (length > madeMax) throw new CelCostError();
}

function charAt(text: string, index: Int): string {
  const characters = points(text);
  if (index < 0 || index > characters.length) throw new CelError(`index out of range: ${index}`);
  return characters[Number(index)] ?? '';
}

function indexOf(text: string, part: string, offset: Int = 0): number {
  const characters = points(text);
  if (offset < 0 || offset > characters.length) throw new CelError(`index out of range: ${offset}`);
  if (part === '') return Number(offset);
  const sought = points(part);
  search(text, part);
  for (let at = Number(offset); at + sought.length <= characters.length; at++) {
    if (sought.every((character, index) => characters[at + index] === character)) return at;
  }
  return -1;
}

function lastIndexOf(text: string, part: string, offset?: Int): number {
  const characters = points(text);
  if (offset !== undefined && (offset < 0 || offset > characters.length))
    throw new CelError(`index out of range: ${offset}`);
  if (part === '') return offset === undefined ? characters.length : Number(offset);
  const sought = points(part);
  search(text, part);
  const last = characters.length - sought.length;
  for (let at = offset === undefined ? last : Math.min(Number(offset), last); at >= 0; at--) {
    if (sought.every((character, index) => characters[at + index] === character)) return at;
  }
  return -1;
}

const asciiUpper = (text: string): string => text.replace(/[a-z]+/g, (part) => part.toUpperCase());
const asciiLower = (text: string): string => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());

function replace(text: string, from: string, to: string, limit: Int = -1): string {
  make(text.length);
  search(text, from);
  const places = from === '' ? text.length + 1 : text.split(from).length - 1;
  make(text.length + to.length * (limit < 0 ? places : Math.min(Number(limit), places)));
  if (limit < 0)
    return from === ''
      ? to +
          points(text)
            .map((character) => character + to)
            .join('')
      : text.replaceAll(from, to);
  const pieces = from === '' ? ['', ...points(text)] : text.split(from);
  const count = from === '' ? Math.min(Number(limit), pieces.length) : Math.min(Number(limit), pieces.length - 1);
  if (from === '') return pieces.map((piece, index) => (index < count ? piece + to : piece)).join('');
  return (
    pieces
      .slice(0, count)
      .map((piece) => piece + to)
      .join('') + pieces.slice(count).join(from)
  );
}

function split(text: string, separator: string, limit: Int = -1): string[] {
  if (limit == 0) return [];
  make(text.length);
  search(text, separator);
  const pieces = separator === '' ? Array.from(text) : text.split(separator);
  if (limit < 0 || pieces.length <= limit) return pieces;
  const kept = Number(limit) - 1;
  return [...pieces.slice(0, kept), pieces.slice(kept).join(separator)];
}

function join(list: readonly string[], separator = ''): string {
  make(list.reduce((length, part) => length + part.length + separator.length, 0));
  return list.join(separator);
}

function substring(text: string, start: Int, end?: Int): string {
  const characters = points(text);
  const to = end ?? characters.length;
  if (start < 0 || start > characters.length) throw new CelError(`index out of range: ${start}`);
  if (to < 0 || to > characters.length) throw new CelError(`index out of range: ${to}`);
  if (start > to) throw new CelError(`invalid substring range. start: ${start}, end: ${to}`);
  return characters.slice(Number(start), Number(to)).join('');
}

/** Go's unicode.IsSpace has U+0085, which JavaScript's trim has not, and not U+FEFF, which it has. */
const space = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const isSpace = (character: string | undefined) => character !== undefined && space.test(character);

/** Character by character: a pattern would be tried anew at each of the spaces within the text. */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (isSpace(text[start])) start++;
  while (end > start && isSpace(text[end - 1])) end--;
  return text.slice(start, end);
}

const quotable: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(text: string): string {
  const escaped = points(text.toWellFormed()).map((character) => quotable[character] ?? character);
  return `"${escaped.join('')}"`;
}

/** The strings extension (cel-go, ext/strings.go, version 2). */
export const stringsLibrary = functionTable([
  ['charAt', 'string_char_at_int', 'string.(int) string', charAt],
  ['indexOf', 'string_index_of_string', 'string.(string) int', indexOf],
  ['indexOf', 'string_index_of_string_int', 'string.(string, int) int', indexOf],
  ['lastIndexOf', 'string_last_index_of_string', 'string.(string) int', lastIndexOf],
  ['lastIndexOf', 'string_last_index_of_string_int', 'string.(string, int) int', lastIndexOf],
  ['lowerAscii', 'string_lower_ascii', 'string.() string', asciiLower],
  ['upperAscii', 'string_upper_ascii', 'string.() string', asciiUpper],
  ['replace', 'string_replace_string_string', 'string.(string, string) string', replace],
  ['replace', 'string_replace_string_string_int', 'string.(string, string, int) string', replace],
  ['split', 'string_split_string', 'string.(string) list(string)', split],
  ['split', 'string_split_string_int', 'string.(string, int) list(string)', split],
  ['substring', 'string_substring_int', 'string.(int) string', substring],
  ['substring', 'string_substring_int_int', 'string.(int, int) string', substring],
  ['trim', 'string_trim', 'string.() string', trim],
  ['join', 'list_join', 'list(string).() string', (list: readonly string[]) => join(list)],
  ['join', 'list_join_string', 'list(string).(string) string', join],
  ['format', 'string_format', 'string.(list(dyn)) string', formatString],
  ['strings.quote', 'strings_quote', '(string) string', quote],
]);
