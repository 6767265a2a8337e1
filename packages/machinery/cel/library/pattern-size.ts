/** What is read of a group so far: its size, and that of its last part, which a repeat would multiply. */
interface Group {
  size: number;
  last: number;
}

const repeat = /\{(\d{1,4})(,?)(\d{0,4})\}/y;

/**
 * About how many parts a regular expression compiles to, found without compiling it: `(a{30}b{30}){30}` to 1,800.
 * One look at each character; of a text that is no expression, any number.
 */
export function expressionSize(source: string): number {
  const groups: Group[] = [{ size: 0, last: 0 }];
  let at = 0;
  while (at < source.length) {
    const group = groups.at(-1)!;
    const character = source[at];
    const times = character === '{' ? timesAt(source, at) : undefined;
    if (character === '(') groups.push({ size: 0, last: 0 });
    else if (character === ')') endGroup(groups);
    else if (times === undefined) addPart(group, 1);
    else {
      group.size += group.last * (times - 1);
      group.last *= times;
    }
    at = partEnd(source, at);
  }
  while (groups.length > 1) endGroup(groups);
  return groups[0]!.size;
}

function addPart(group: Group, size: number): void {
  group.size += size;
  group.last = size;
}

function endGroup(groups: Group[]): void {
  if (groups.length === 1) return;
  const { size } = groups.pop()!;
  // Its beginning and its end are parts, too.
  addPart(groups.at(-1)!, size + 2);
}

/** How often a repeat such as `{2,3}` repeats, at most; undefined where there is none. */
function timesAt(source: string, at: number): number | undefined {
  repeat.lastIndex = at;
  const found = repeat.exec(source);
  if (!found) return undefined;
  const [, min, comma, max] = found;
  const atLeast = Number(min);
  return Math.max(1, comma && !max ? atLeast + 1 : atLeast, Number(max));
}

/** Where the next part begins. Classes and escapes are one part; repeats go with what they repeat. */
function partEnd(source: string, at: number): number {
  const character = source[at];
  if (character === '\\') return escapeEnd(source, at);
  if (character === '[') return classEnd(source, at + 1);
  if (character !== '{') return at + 1;
  repeat.lastIndex = at;
  return repeat.test(source) ? repeat.lastIndex : at + 1;
}

const codePoint = /\\x\{[0-9A-Fa-f]*\}/y;

/** A code point such as `\x{1000}` is no repeat. */
function escapeEnd(source: string, at: number): number {
  codePoint.lastIndex = at;
  return codePoint.test(source) ? codePoint.lastIndex : at + 2;
}

/** A bracket that is first in its class does not end it. */
function classEnd(source: string, start: number): number {
  let at = source[start] === '^' ? start + 2 : start + 1;
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}
