import { RE2JS } from 're2js';

/** After so many steps what is remembered of texts is forgotten: of some expressions it grows to megabytes. */
const rememberedStepsMax = 4 * 1024 * 1024;
/** Longer expressions are none: compiling one takes time in proportion. */
const charactersMax = 64 * 1024;

/** A regular expression with RE2's syntax and semantics: linear in the text, times the size of the expression at worst. */
export class Pattern {
  readonly #source: string;
  #compiled: RE2JS;
  /** Of how many parts it is. */
  readonly size: number;
  #steps = 0;

  private constructor(source: string, compiled: RE2JS) {
    this.#source = source;
    this.#compiled = compiled;
    this.size = compiled.programSize();
  }

  /** An Error, in Go's words, where the text is no expression. */
  static compile(source: string): Pattern | Error {
    if (source.length > charactersMax) return new Error('error parsing regexp: expression too large');
    try {
      return new Pattern(source, RE2JS.compile(source));
    } catch (error) {
      return error as Error;
    }
  }

  /** How many steps the text takes at worst; one is about 20 ns then, a hundredth usually. */
  stepsFor(text: string): number {
    return (text.length + 1) * this.size;
  }

  /** Whether any part of the text matches. */
  test(text: string): boolean {
    if (this.#steps > rememberedStepsMax) {
      this.#compiled = RE2JS.compile(this.#source);
      this.#steps = 0;
    }
    this.#steps += this.stepsFor(text);
    // Unlike a matcher, this need not know where: states are remembered instead of followed one by one.
    return this.#compiled.test(text);
  }

  matcher(text: string) {
    return this.#compiled.matcher(text);
  }
}
