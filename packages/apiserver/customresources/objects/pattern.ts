import { BoundedMap } from '@kubernode/machinery';
import { compilePattern as compile } from '@kubernode/machinery/cel';

type Pattern = Exclude<ReturnType<typeof compile>, Error>;

const patterns = new BoundedMap<string, Pattern | Error>(2_000);

/** A pattern in Go's syntax (RE2), linear in the text that it is tried on; an Error where it is none. */
export function compilePattern(text: string): Pattern | Error {
  const known = patterns.get(text);
  if (known) return known;
  const pattern = compile(text);
  patterns.set(text, pattern);
  return pattern;
}

/** At worst 40 ns each, when an expression of a thousand parts meets a text that suits it. */
const stepsMax = 40_000_000;
/** Expressions of more parts have sets of them to make for each character, not only to look up. */
const partsMax = 1_024;
let stepsLeft = stepsMax;

/** All patterns of one object share what they may take. To be called before an object is judged. */
export function beginObject(): void {
  stepsLeft = stepsMax;
}

/** Whether a text matches; undefined where it would take longer than one object may. */
export function matchesPattern(text: string, pattern: Pattern): boolean | undefined {
  stepsLeft -= pattern.stepsFor(text) * Math.max(0.5, pattern.size / partsMax);
  return stepsLeft < 0 ? undefined : pattern.test(text);
}

/** What all patterns of one definition may take to compile: about 5 µs a step. */
const compilingMax = 200_000;
const stepsOfCharacter = 6;
let compilingLeft = compilingMax;

/** To be called before a definition is judged. */
export function beginDefinition(): void {
  compilingLeft = compilingMax;
}

/** A pattern of a new definition; an Error also where the definition has too many of them. */
export function compileNewPattern(text: string): Pattern | Error {
  const known = patterns.get(text);
  if (known) return known;
  compilingLeft -= text.length * stepsOfCharacter;
  if (compilingLeft < 0) return new Error('the patterns of the definition are too large together');
  const pattern = compilePattern(text);
  if (!(pattern instanceof Error)) compilingLeft -= pattern.stepsFor('');
  return pattern;
}
