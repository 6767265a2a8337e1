import { BoundedMap } from '@kubernode/machinery';
import { compilePattern as compile } from '@kubernode/machinery/cel';

type Pattern = ReturnType<typeof compile>;

const patterns = new BoundedMap<string, Pattern>(10_000);

/** A pattern in Go's syntax (RE2), linear in the text that it is tried on; an Error where it is none. */
export function compilePattern(text: string): Pattern {
  const known = patterns.get(text);
  if (known) return known;
  const pattern = compile(text);
  patterns.set(text, pattern);
  return pattern;
}
