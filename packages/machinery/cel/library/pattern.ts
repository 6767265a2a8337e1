import { RE2JS } from 're2js';
import { expressionSize } from './pattern-size.ts';

/** Longer expressions are none, nor are those that repeat themselves to more parts: compiling a part takes 3 µs. */
const charactersMax = 64 * 1024;
const partsMax = 200_000;
/** What a part takes of memory. */
const partBytes = 100;

/** What is remembered of texts, by all patterns together; some of them would each grow to megabytes. */
const rememberedBytesMax = 32 * 1024 * 1024;
let rememberedBytes = 0;
const remembering = new Set<Pattern>();

/** Is told of steps (`work.ts` says what that is) as they are made; what it throws ends the search. */
export type Spend = (steps: number) => void;

type Engine = Omit<ReturnType<RE2JS['re2']>, 'onepass'> & { onepass: object | null };
type Input = { step(position: number): number };

/** What each character of a text takes where all is remembered. */
const characterSteps = 2;
/** What a part takes where a set of parts that may come next is made; most texts lead to few such sets. */
const partSteps = 5;

/** A regular expression with RE2's syntax and semantics: linear in the text, times the size of the expression at worst. */
export class Pattern {
  readonly #compiled: RE2JS;
  readonly #engine: Engine;
  /** Of how many parts it is. */
  readonly size: number;
  #spend: Spend = () => undefined;
  #isMetered = false;
  #rememberedBytes = 0;

  private constructor(compiled: RE2JS) {
    this.#compiled = compiled;
    this.#engine = compiled.re2();
    this.size = compiled.programSize();
    // It would look for each word of the expression in all of the text.
    this.#engine.prefilter = null;
    // Its way with expressions of which one character says how to go on remembers nothing, and takes four times as long.
    this.#engine.onepass = null;
  }

  /** An Error, in Go's words, where the text is no expression. */
  static compile(source: string): Pattern | Error {
    if (source.length > charactersMax || expressionSize(source) > partsMax) {
      return new Error('error parsing regexp: expression too large');
    }
    try {
      return new Pattern(RE2JS.compile(source));
    } catch (error) {
      return error as Error;
    }
  }

  /** Whether any part of the text matches. */
  test(text: string, spend: Spend): boolean {
    return this.#search(text, spend, () => this.#compiled.test(text));
  }

  /** The parts of the text that match, at most so many, those after each other that do not overlap. */
  findAll(text: string, limit: number, spend: Spend): string[] {
    // Whether there is any is known sooner than where.
    if (limit === 0 || !this.test(text, spend)) return [];
    return this.#search(text, spend, () => {
      const matcher = this.#compiled.matcher(text);
      const found: string[] = [];
      while (found.length < limit && matcher.find()) found.push(matcher.group() ?? '');
      return found;
    });
  }

  #search<T>(text: string, spend: Spend, search: () => T): T {
    this.#spend = spend;
    if (!this.#isMetered) this.#meter();
    spend(text.length * characterSteps);
    try {
      return search();
    } finally {
      this.#account();
    }
  }

  /** Makes the engine tell of what takes long, before or just after it is done. */
  #meter(): void {
    this.#isMetered = true;
    const engine = this.#engine;
    const { dfa } = engine;
    const closure = dfa.closure.bind(dfa);
    dfa.closure = (parts: readonly number[], flag: number) => {
      const made = closure(parts, flag);
      this.#spend((parts.length + made.pcs.length) * partSteps);
      return made;
    };
    const match = dfa.match.bind(dfa);
    dfa.match = (input: Input, ...rest) => {
      const answer: boolean | null = match(input, ...rest);
      // Too many sets to be remembered: the engine begins again, and follows all parts through the text.
      if (answer === null) this.#meterInput(input);
      return answer;
    };
    const execute = engine.executeEngine.bind(engine);
    engine.executeEngine = (input: Input, position, anchor, groups: number, ...rest) => {
      if (groups > 0) this.#meterInput(input);
      return execute(input, position, anchor, groups, ...rest);
    };
  }

  /** Where a character is asked for, up to all parts are tried on it. */
  #meterInput(input: Input): void {
    const step = input.step.bind(input);
    const steps = this.size;
    input.step = (position) => {
      this.#spend(steps);
      return step(position);
    };
  }

  #account(): void {
    const { lazyDFA: dfa } = this.#engine;
    const bytes = this.size * partBytes + (dfa === null ? 0 : dfa.stateBudget - dfa.memBudget);
    rememberedBytes += bytes - this.#rememberedBytes;
    this.#rememberedBytes = bytes;
    remembering.add(this);
    if (rememberedBytes <= rememberedBytesMax) return;
    for (const pattern of remembering) if (pattern !== this) pattern.#forget();
  }

  #forget(): void {
    this.#engine.lazyDFA?.clearCache();
    rememberedBytes -= this.#rememberedBytes;
    this.#rememberedBytes = 0;
    remembering.delete(this);
  }
}
