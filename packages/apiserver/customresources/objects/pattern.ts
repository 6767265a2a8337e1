import { compilePattern as compile } from '@kubernode/machinery/cel';

type Pattern = ReturnType<typeof compile>;

const patterns = new Map<string, Pattern>();
const patternsMax = 10_000;

/** A pattern in Go's syntax (RE2), linear in the text that it is tried on; an Error where it is none. */
export function compilePattern(text: string): Pattern {
  let pattern = patterns.get(text);
  if (!pattern) {
    if (patterns.size >= patternsMax) patterns.clear();
    patterns.set(text, (pattern = compile(text)));
  }
  return pattern;
}
