import { StatusError } from '../status-error.ts';
import { DecodeError } from './decode-error.ts';

/**
 * Values and keys of one body, lists and objects counted twice. Everything that looks at an object takes up to a few
 * microseconds for each of them, and everybody waits for that; what etcd would keep of 1.5 MB hardly has as many.
 */
export const partsMax = 300_000;

/** Counts the parts of a body as they are read. */
export class Parts {
  #left = partsMax;

  /** Throws RequestEntityTooLarge where the body has had too many. */
  take(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw tooManyParts();
  }
}

export const tooManyParts = (): StatusError => StatusError.tooLarge(`limit is ${partsMax} values`);

/**
 * How deep objects and lists are in one another in a JSON text, and how many parts it has. Reads every text to its end,
 * at a tenth of what parsing takes.
 */
export function sizeOfJson(text: string): { readonly depth: number; readonly parts: number } {
  let open = 0;
  let depth = 0;
  let parts = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      at = closingQuote(text, at);
      if (at < 0) break;
    } else if (code === 123 || code === 91) {
      depth = Math.max(depth, ++open);
      parts++;
    } else if (code === 125 || code === 93) open--;
    else if (code === 44 || code === 58) parts++;
  }
  return { depth, parts };
}

/** Throws for a JSON text that nests deeper, or has more parts, than a body may. */
export function checkSizeOfJson(text: string, nestingMax: number): void {
  // Each level takes two characters, and the other limit is far higher.
  if (text.length <= 2 * nestingMax) return;
  const { depth, parts } = sizeOfJson(text);
  if (depth > nestingMax) throw new DecodeError('exceeded max depth');
  if (parts > partsMax) throw tooManyParts();
}

/** Index of the quote that ends the string which starts at `open`; -1 where none does. */
export function closingQuote(text: string, open: number): number {
  let end = text.indexOf('"', open + 1);
  while (text.charCodeAt(end - 1) === 92 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === 92) backslashes++;
  return backslashes % 2 === 1;
}
