import { compilePattern, isKnownPattern } from '@kubernode/machinery/cel';

type Pattern = Exclude<ReturnType<typeof compilePattern>, Error>;

/** What trying patterns on the texts of one object may take, in steps of 10 to 50 ns. */
const stepsMax = 16_000_000;
let stepsLeft = stepsMax;

/** All patterns of one object share what they may take. To be called before an object is judged. */
export function beginObject(): void {
  stepsLeft = stepsMax;
}

class TooManySteps extends Error {}

function spend(steps: number): void {
  stepsLeft -= steps;
  if (stepsLeft < 0) throw new TooManySteps();
}

/** Whether a text matches; undefined where it would take longer than one object may. */
export function matchesPattern(text: string, pattern: Pattern): boolean | undefined {
  try {
    return pattern.test(text, spend);
  } catch (error) {
    if (error instanceof TooManySteps) return undefined;
    throw error;
  }
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
  if (isKnownPattern(text)) return compilePattern(text);
  compilingLeft -= text.length * stepsOfCharacter;
  if (compilingLeft < 0) return new Error('the patterns of the definition are too large together');
  const pattern = compilePattern(text);
  if (!(pattern instanceof Error)) compilingLeft -= pattern.size;
  return pattern;
}
