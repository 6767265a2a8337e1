import { RE2JS } from 're2js';
import { CelError } from '../errors.ts';
import { functionTable } from '../function.ts';

/** Compiled expressions are kept, the least recently made dropped first: rules use the same few again and again. */
const compiled = new Map<string, RE2JS>();
const compiledMax = 256;

/** Compiles an RE2 expression. Throws `CelError` when it is none. */
function compileRegex(pattern: string, prefix = ''): RE2JS {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  let made: RE2JS;
  try {
    made = RE2JS.compile(pattern);
  } catch (error) {
    throw new CelError(`${prefix}${(error as Error).message}`);
  }
  if (compiled.size >= compiledMax) compiled.delete(compiled.keys().next().value as string);
  compiled.set(pattern, made);
  return made;
}

/** Compiles an RE2 expression as CRDs have it in `pattern`; an Error, in Go's words, where it is none. */
export function compilePattern(pattern: string): { readonly test: (text: string) => boolean } | Error {
  try {
    const compiled = RE2JS.compile(pattern);
    return { test: (text) => compiled.matcher(text).find() };
  } catch (error) {
    return error as Error;
  }
}

function matches(text: string, pattern: string): boolean {
  return compileRegex(pattern).matcher(text).find();
}

function find(text: string, pattern: string): string {
  const matcher = compileRegex(pattern, 'Illegal regex: ').matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

function findAll(text: string, pattern: string, limit: number | bigint = -1): string[] {
  const matcher = compileRegex(pattern, 'Illegal regex: ').matcher(text);
  const found: string[] = [];
  while ((limit < 0 || found.length < limit) && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}

/** Regular expressions with RE2's semantics: linear in the text, whatever the expression. */
export const regexLibrary = functionTable([
  ['matches', 'matches', '(string, string) bool', matches],
  ['matches', 'matches_string', 'string.(string) bool', matches],
  ['find', 'string_find_string', 'string.(string) string', find],
  ['findAll', 'string_find_all_string', 'string.(string) list(string)', findAll],
  ['findAll', 'string_find_all_string_int', 'string.(string, int) list(string)', findAll],
]);
