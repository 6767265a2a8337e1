const identifierPattern = /^[_\p{L}][^\s.,[\]$@{}]*/u;
const numberPattern = /^[+-]?[\d.]*/;
const fieldPattern = /^\.(?:\\.|[^\s.,[\]$@{}])*/s;
const slicePattern = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;

/** Whether `{text}` is a JSONPath of client-go, as far as its parser looks: what it leads to may be nothing. */
export function isJsonPath(text: string): boolean {
  let rest = `${text}}`;
  while (rest !== '') {
    if (rest.startsWith('}')) return true;
    const length = stepLength(rest);
    if (length === 0) return false;
    rest = rest.slice(length);
  }
  return false;
}

/** How many characters the next step has; 0 for what is none. */
function stepLength(rest: string): number {
  const first = rest.charAt(0);
  if (rest.startsWith('[?(')) return rest.indexOf(')]') + 2 > 2 ? rest.indexOf(')]') + 2 : 0;
  if (rest.startsWith('..')) return rest.startsWith('...') ? 0 : 2;
  if (first === ' ' || first === '@' || first === '$') return 1;
  if (first === '[') return bracketLength(rest);
  if (first === '"' || first === "'") return quoteLength(rest, first);
  if (first === '.') return fieldPattern.exec(rest)?.[0].length ?? 0;
  if (/[+\-\d]/.test(first)) {
    const number = numberPattern.exec(rest)?.[0] ?? '';
    return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(number) ? number.length : 0;
  }
  return identifierPattern.exec(rest)?.[0].length ?? 0;
}

function bracketLength(rest: string): number {
  const end = rest.indexOf(']');
  const inside = rest.slice(1, end);
  const isIndex = (one: string) => one === '*' || /^'[^']*'$/.test(one) || slicePattern.test(one);
  return end > 0 && inside.split(',').every((one) => isIndex(one.trim())) ? end + 1 : 0;
}

function quoteLength(rest: string, quote: string): number {
  for (let at = 1; at < rest.length; at += 1) if (rest[at] === quote && rest[at - 1] !== '\\') return at + 1;
  return 0;
}
