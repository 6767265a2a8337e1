import { isPlain } from './schema.ts';

type Step = (value: unknown) => readonly unknown[];

/** A JSONPath as CRDs use it (`.spec.a`, `.status.conditions[?(@.type=="Ready")].status`): what it finds in a value. */
export type JsonPath = (value: unknown) => readonly unknown[];

/** Throws an Error that says what is wrong with the path. */
export function parseJsonPath(text: string): JsonPath {
  const steps = new PathParser(text).steps();
  return (value) => steps.reduce<readonly unknown[]>((found, step) => found.flatMap((each) => step(each)), [value]);
}

class PathParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
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
    if (filter) return filtered(filter[1] ?? '');
    const choices = inside.split(',').map((each) => choice(each.trim()));
    return (value) => choices.flatMap((each) => each(value));
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

function descendants(value: unknown): readonly unknown[] {
  return [value, ...children(value).flatMap(descendants)];
}

/** `@.type=="Ready"`, or a path that has to be there. */
function filtered(condition: string): Step {
  const text = condition.trim();
  const found = /(?<!^)(?:==|!=|<=|>=|<|>)/.exec(text);
  const right = found ? text.slice(found.index + found[0].length) : '';
  const operator = right === '' ? undefined : found?.[0];
  const left = operator === undefined ? condition : text.slice(0, found?.index);
  const read = operand(left.trim());
  if (operator === undefined) return (value) => children(value).filter((item) => read(item).length > 0);
  const readRight = operand(right.trim());
  return (value) => children(value).filter((item) => compares(read(item)[0], operator, readRight(item)[0]));
}

function operand(text: string): Step {
  if (text.startsWith('@')) return parseJsonPath(text.slice(1));
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
