import { nestingMax } from './reader.ts';
import { hasDuplicateKeys } from './strict.ts';

/** ASCII without tabs and what is beside it: there YAML has rules of its own. */
const printable = /^\{[\n\r -~]*$/;
/** So it has for numbers that are not short and whole, and for the key that merges. */
const special = /(?:"\s*:|[,[])\s*-?(?:0\d|\d{16}|\d+[^\d,}\]\s])|"<<"/;

/**
 * The value of a YAML text that is JSON, as most that programs apply are, where the two are sure to read the same;
 * undefined where that is not certain. Native code reads it in a tenth of the time.
 */
export function plainJson(text: string): object | undefined {
  if (!printable.test(text) || special.test(text) || opensMax(text) > nestingMax) return undefined;
  try {
    const value = JSON.parse(text) as object;
    return hasDuplicateKeys(text, value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** No value is nested deeper than braces and brackets are opened. */
function opensMax(text: string): number {
  let count = 0;
  for (const mark of ['{', '[']) for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) count++;
  return count;
}
