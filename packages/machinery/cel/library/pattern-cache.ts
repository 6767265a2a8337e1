import type { Pattern } from './pattern.ts';

/** Rules and schemas use the same expressions again and again. */
const entriesMax = 2_000;
/** A part of an expression takes about 100 bytes. */
const partsMax = 500_000;

/** Compiled expressions by their text, and texts that are none; what came first is dropped first. */
export class PatternCache {
  readonly #patterns = new Map<string, Pattern | Error>();
  #parts = 0;

  get(text: string): Pattern | Error | undefined {
    return this.#patterns.get(text);
  }

  add(text: string, pattern: Pattern | Error): void {
    this.#patterns.set(text, pattern);
    this.#parts += partsOf(text, pattern);
    for (const [oldText, old] of this.#patterns) {
      if (oldText === text || (this.#patterns.size <= entriesMax && this.#parts <= partsMax)) return;
      this.#patterns.delete(oldText);
      this.#parts -= partsOf(oldText, old);
    }
  }
}

/** The text itself is held, too. */
const partsOf = (text: string, pattern: Pattern | Error): number =>
  text.length / 50 + (pattern instanceof Error ? 0 : pattern.size);
