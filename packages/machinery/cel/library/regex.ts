import { BoundedMap } from '../../bounded-map.ts';
import { CelError } from '../errors.ts';
import { functionTable } from '../function.ts';
import { work } from '../work.ts';
import { Pattern } from './pattern.ts';

/** Compiled expressions are kept, the least recently made dropped first: rules use the same few again and again. */
const compiled = new BoundedMap<string, Pattern>(256);

/** Compiles an RE2 expression. Throws `CelError` when it is none. */
function compileRegex(text: string, prefix = ''): Pattern {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const made = compilePattern(text);
  if (made instanceof Error) throw new CelError(`${prefix}${made.message}`);
  compiled.set(text, made);
  return made;
}

/** Compiles an RE2 expression as CRDs have it in `pattern`; an Error, in Go's words, where it is none. */
export function compilePattern(text: string): Pattern | Error {
  work(text.length);
  return Pattern.compile(text);
}

/** A part of what it takes where nothing is remembered of the text: states that were met before cost next to nothing. */
const spend = (pattern: Pattern, text: string) => work(pattern.stepsFor(text) / 16);

function matches(text: string, expression: string): boolean {
  const pattern = compileRegex(expression);
  spend(pattern, text);
  return pattern.test(text);
}

function find(text: string, expression: string): string {
  return findAll(text, expression, 1)[0] ?? '';
}

function findAll(text: string, expression: string, limit: number | bigint = -1): string[] {
  const pattern = compileRegex(expression, 'Illegal regex: ');
  spend(pattern, text);
  if (!pattern.test(text)) return [];
  spend(pattern, text);
  const matcher = pattern.matcher(text);
  const found: string[] = [];
  while ((limit < 0 || found.length < limit) && matcher.find()) {
    found.push(matcher.group() ?? '');
    // The next one may be looked for up to the end.
    work(1 + pattern.stepsFor(text) / 4);
  }
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
