import { CelCostError, CelError } from '../errors.ts';
import { functionTable } from '../function.ts';
import { formatString } from './string-format.ts';

type Int = number | bigint;

/** Strings are counted in code points; those without surrogates need no splitting. */
const points = (text: string): readonly string[] => Array.from(text);

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
  const last = characters.length - sought.length;
  for (let at = offset === undefined ? last : Math.min(Number(offset), last); at >= 0; at--) {
    if (sought.every((character, index) => characters[at + index] === character)) return at;
  }
  return -1;
}

const asciiUpper = (text: string): string => text.replace(/[a-z]+/g, (part) => part.toUpperCase());
const asciiLower = (text: string): string => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());

/** Texts that are longer cost more than any evaluation may: with those it is not even begun. */
const replacedMax = 10_000_000;

function replace(text: string, from: string, to: string, limit: Int = -1): string {
  if (text.length > replacedMax) throw new CelCostError();
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
  const pieces = separator === '' ? Array.from(text) : text.split(separator);
  if (limit < 0 || pieces.length <= limit) return pieces;
  const kept = Number(limit) - 1;
  return [...pieces.slice(0, kept), pieces.slice(kept).join(separator)];
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
const space = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+';
const edges = new RegExp(`^${space}|${space}$`, 'g');

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
  ['trim', 'string_trim', 'string.() string', (text: string) => text.replace(edges, '')],
  ['join', 'list_join', 'list(string).() string', (list: readonly string[]) => list.join('')],
  ['join', 'list_join_string', 'list(string).(string) string', (list: readonly string[], by: string) => list.join(by)],
  ['format', 'string_format', 'string.(list(dyn)) string', formatString],
  ['strings.quote', 'strings_quote', '(string) string', quote],
]);
