import { isPlain } from './schema.ts';

/**
 * How many values paths may still find on their way: short ones such as `.spec..*..*..*` find more than there are atoms.
 * All columns of an object share it.
 */
export interface PathBudget {
  left: number;
}

type Step = (value: unknown, budget: PathBudget) => readonly unknown[];

/**
 * A JSONPath as CRDs use it (`.spec.a`, `.status.conditions[?(@.type=="Ready")].status`): what it finds in a value;
 * nothing where the budget ends before.
 */
export type JsonPath = (value: unknown, budget?: PathBudget) => readonly unknown[];

/** Filters within filters; each looks at all of the text within again. */
const depthMax = 16;

/** Throws an Error that says what is wrong with the path. */
export function parseJsonPath(text: string): JsonPath {
  const step = pathOf(text, 0);
  return (value, budget = { left: Number.POSITIVE_INFINITY }) => step(value, budget);
}

function pathOf(text: string, depth: number): Step {
  if (depth > depthMax) throw new Error(`JSONPath has filters nested deeper than ${depthMax}`);
  const steps = new PathParser(text, depth).steps();
  return (value, budget) => {
    let found: readonly unknown[] = [value];
    for (const step of steps) found = foundBy(step, found, budget);
    return found;
  };
}

function foundBy(step: Step, values: readonly unknown[], budget: PathBudget): readonly unknown[] {
  const found: unknown[] = [];
  for (const value of values) {
    const more = step(value, budget);
    budget.left -= 1 + more.length;
    if (budget.left < 0) return [];
    for (const each of more) found.push(each);
  }
  return found;
}

class PathParser {
  readonly #text: string;
  readonly #depth: number;
  #at = 0;

  constructor(text: string, depth: number) {
    this.#depth = depth;
    this.#text = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text;
  }

  steps(): Step[] {
    const steps: Step[] = [];
    while (this.#at < this.#text.length) steps.push(this.#step());
    return steps;
  }

  #step(): Step {
    const rest = this.#text.slice(this.#at);
    if (rest.startsWith('$')) return this.#take(1, (value) => [value]);
    if (rest.startsWith('..')) return this.#take(2, descendants);
    if (rest.startsWith('[')) return this.#bracket();
    const isDot = rest.startsWith('.');
    const [name = ''] = /^(?:\\.|[^.[\]\\])+/.exec(isDot ? rest.slice(1) : rest) ?? [];
    if (isDot && name === '') return this.#take(1, (value) => [value]);
    if (name === '') throw new Error(`unexpected character ${JSON.stringify(rest.charAt(0))} in JSONPath`);
    return this.#take(name.length + (isDot ? 1 : 0), under(name.replace(/\\(.)/g, '$1')));
  }

  #take(length: number, step: Step): Step {
    this.#at += length;
    return step;
  }

  #bracket(): Step {
    const end = closing(this.#text, this.#at);
    if (end < 0) throw new Error('unterminated array');
    const inside = this.#text.slice(this.#at + 1, end).trim();
    this.#at = end + 1;
    const filter = /^\?\((.*)\)$/s.exec(inside);
    if (filter) return filtered(filter[1] ?? '', this.#depth);
    const choices = inside.split(',').map((each) => choice(each.trim()));
    return (value, budget) => choices.flatMap((each) => foundBy(each, [value], budget));
  }
}

/** The bracket that closes the one at `open`, quotes and inner brackets aside. */
function closing(text: string, open: number): number {
  let depth = 0;
  let quote = '';
  for (let at = open; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote) {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '[') depth += 1;
    else if (character === ']' && --depth === 0) return at;
  }
  return -1;
}

function choice(text: string): Step {
  if (text === '*') return children;
  const quoted = /^'(.*)'$|^"(.*)"$/s.exec(text);
  if (quoted) return under(quoted[1] ?? quoted[2] ?? '');
  const [, from, range, to, , step] = /^(-?\d+)?(?:(:)(-?\d+)?(:(\d+))?)?$/.exec(text) ?? [];
  if (from === undefined && range === undefined) throw new Error(`invalid array index ${text}`);
  if (range === undefined) return (value) => itemAt(value, Number(from));
  return (value) => slice(value, from, to, Number(step ?? 1));
}

function itemAt(value: unknown, index: number): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const at = index < 0 ? value.length + index : index;
  return at in value ? [value[at]] : [];
}

function slice(value: unknown, from: string | undefined, to: string | undefined, step: number): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const items = value.slice(from === undefined ? 0 : Number(from), to === undefined ? undefined : Number(to));
  return step > 1 ? items.filter((_, index) => index % step === 0) : items;
}

const under =
  (name: string): Step =>
  (value) => {
    if (name === '*') return children(value);
    return isPlain(value) && Object.hasOwn(value, name) ? [value[name]] : [];
  };

function children(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  return isPlain(value) ? Object.values(value) : [];
}

/** The value, and all below it, each before what is below itself. */
function descendants(value: unknown, budget: PathBudget): readonly unknown[] {
  const found: unknown[] = [];
  const rest = [value];
  while (rest.length > 0 && found.length <= budget.left) {
    const next = rest.pop();
    found.push(next);
    for (const child of children(next).toReversed()) rest.push(child);
  }
  return found;
}

/** `@.type=="Ready"`, or a path that has to be there. */
function filtered(condition: string, depth: number): Step {
  const text = condition.trim();
  const found = /(?<!^)(?:==|!=|<=|>=|<|>)/.exec(text);
  const right = found ? text.slice(found.index + found[0].length) : '';
  const operator = right === '' ? undefined : found?.[0];
  const left = operator === undefined ? condition : text.slice(0, found?.index);
  const read = operand(left.trim(), depth);
  if (operator === undefined)
    return (value, budget) => children(value).filter((item) => foundBy(read, [item], budget).length > 0);
  const readRight = operand(right.trim(), depth);
  return (value, budget) =>
    children(value).filter((item) => {
      const [first] = foundBy(read, [item], budget);
      return compares(first, operator, readRight(item, budget)[0]);
    });
}

function operand(text: string, depth: number): Step {
  if (text.startsWith('@')) return pathOf(text.slice(1), depth + 1);
  const quoted = /^'(.*)'$|^"(.*)"$/s.exec(text);
  if (quoted) return () => [quoted[1] ?? quoted[2] ?? ''];
  const literal = text === 'true' ? true : text === 'false' ? false : Number(text);
  if (Number.isNaN(literal)) throw new Error(`unrecognized filter operand ${text}`);
  return () => [literal];
}

function compares(left: unknown, operator: string, right: unknown): boolean {
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== undefined && left !== right;
  if (typeof left !== typeof right || (typeof left !== 'number' && typeof left !== 'string')) return false;
  const [a, b] = [left, right as typeof left];
  return operator === '<' ? a < b : operator === '>' ? a > b : operator === '<=' ? a <= b : a >= b;
}
