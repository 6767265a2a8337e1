import { CelError } from '../errors.ts';
import { functionTable } from '../function.ts';
import { work } from '../work.ts';
import { PatternCache } from './pattern-cache.ts';
import { Pattern } from './pattern.ts';

const patterns = new PatternCache();

/** Throws `CelError` when the text is no RE2 expression. */
function compileRegex(text: string, prefix = ''): Pattern {
  const pattern = compilePattern(text);
  if (pattern instanceof Error) throw new CelError(`${prefix}${pattern.message}`);
  return pattern;
}

/** Compiling takes as much for each part of the expression. */
const partSteps = 80;

/** Compiles an RE2 expression as CRDs have it in `pattern`; an Error, in Go's words, where it is none. */
export function compilePattern(text: string): Pattern | Error {
  const known = patterns.get(text);
  if (known) return known;
  work(text.length);
  const pattern = Pattern.compile(text);
  patterns.add(text, pattern);
  if (!(pattern instanceof Error)) work(pattern.size * partSteps);
  return pattern;
}

/** Whether compiling an expression takes nothing, for it was compiled before. */
export function isKnownPattern(text: string): boolean {
  return patterns.get(text) !== undefined;
}

function matches(text: string, expression: string): boolean {
  return compileRegex(expression).test(text, work);
}

function find(text: string, expression: string): string {
  return findAll(text, expression, 1)[0] ?? '';
}

function findAll(text: string, expression: string, limit: number | bigint = -1): string[] {
  const countMax = limit < 0 ? Number.POSITIVE_INFINITY : Number(limit);
  return compileRegex(expression, 'Illegal regex: ').findAll(text, countMax, work);
}

/** Regular expressions with RE2's semantics: linear in the text, whatever the expression. */
export const regexLibrary = functionTable([
  ['matches', 'matches', '(string, string) bool', matches],
  ['matches', 'matches_string', 'string.(string) bool', matches],
  ['find', 'string_find_string', 'string.(string) string', find],
  ['findAll', 'string_find_all_string', 'string.(string) list(string)', findAll],
  ['findAll', 'string_find_all_string_int', 'string.(string, int) list(string)', findAll],
]);
