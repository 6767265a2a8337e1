import type { Shape } from '@kubernode/machinery';
import { isOpen } from './open.ts';
import { closingQuote } from './parts.ts';
import { specialFormOf } from './special-forms.ts';

/** More than this many are not worth reading (sigs.k8s.io/json has the same limit). */
const strictErrorsMax = 100;

/** What strict field validation objects to, in the order of the value: `unknown field "spec.foo"`. */
export function unknownFields(value: unknown, shape: Shape): string[] {
  const errors: string[] = [];
  visit(value, shape, '', errors);
  return errors;
}

function visit(value: unknown, shape: Shape, path: string, errors: string[]): void {
  if (typeof value !== 'object' || value === null || errors.length >= strictErrorsMax) return;
  if (Array.isArray(value)) {
    const items = shape.type === 'list' ? shape.items : undefined;
    if (items) value.forEach((item, index) => visit(item, items, `${path}[${index}]`, errors));
    return;
  }
  if (shape.type === 'object' && specialFormOf(shape.name)) return;
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const child = childShape(shape, key);
    if (child) visit(item, child, join(path, key), errors);
    else if (shape.type === 'object') errors.push(`unknown field ${JSON.stringify(join(path, key))}`);
  }
}

function childShape(shape: Shape, key: string): Shape | undefined {
  if (shape.type === 'object') return shape.byName.get(key)?.shape ?? (isOpen(shape) ? anyShape : undefined);
  return shape.type === 'map' ? shape.values : undefined;
}

/**
 * Unknown and repeated fields of a JSON text, in the text's order. The text is valid JSON: it was parsed before. This is
 * the slow way, taken once something is known to be wrong.
 */
export function strictErrors(text: string, shape: Shape): string[] {
  const scanner = new Scanner(text);
  scanner.value(shape, '');
  return scanner.errors;
}

/**
 * Whether the text writes more keys than the value has, that is: repeats one. Cheap: it leaps from quote to quote.
 */
export function hasDuplicateKeys(text: string, value: unknown): boolean {
  return keysWritten(text) !== keysOf(value);
}

/** How many keys the objects of a text have, repeated ones as often as they are written. */
export function keysWritten(text: string): number {
  return spacedColons.some((colon) => text.includes(colon)) ? keysBetween(text) : quotedColons(text);
}

/** Nobody writes so, but it is JSON. */
const spacedColons = [' :', '\n:', '\r:', '\t:'];

/** Colons after a quote: those after keys, and those that a string begins with, which then counts too much. */
function quotedColons(text: string): number {
  let keys = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1))
    if (text.charCodeAt(at - 1) === 34) keys++;
  return keys;
}

function keysBetween(text: string): number {
  let keys = 0;
  for (let open = text.indexOf('"'); open !== -1;) {
    let end = closingQuote(text, open) + 1;
    let code = text.charCodeAt(end);
    while (code === 32 || code === 10 || code === 13 || code === 9) code = text.charCodeAt(++end);
    if (code === 58) keys++;
    open = text.indexOf('"', end);
  }
  return keys;
}

/** Without recursion: parts that nobody asked for may be deep. */
function keysOf(root: unknown): number {
  let keys = 0;
  const open = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (!Array.isArray(value)) keys += items.length;
    for (const item of items) if (typeof item === 'object' && item !== null) open.push(item);
  }
  return keys;
}

class Scanner {
  readonly errors: string[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(shape: Shape | undefined, path: string): void {
    const start = this.#next();
    if (start === '{') this.#object(shape, path);
    else if (start === '[') this.#list(shape, path);
    else if (start === '"') this.#at = closingQuote(this.#text, this.#at) + 1;
    else while (this.#at < this.#text.length && !',]} \n\r\t'.includes(this.#text.charAt(this.#at))) this.#at++;
  }

  #object(shape: Shape | undefined, path: string): void {
    const isSpecial = shape?.type === 'object' && specialFormOf(shape.name) !== undefined;
    const known = isSpecial ? undefined : shape;
    const seen = new Set<string>();
    this.#at++;
    while (this.#next() !== '}') {
      if (this.#next() === ',') this.#at++;
      this.#next();
      const end = closingQuote(this.#text, this.#at) + 1;
      const key = JSON.parse(this.#text.slice(this.#at, end)) as string;
      this.#at = end;
      this.#next();
      this.#at++;
      const child = known && childShape(known, key);
      if (!child && known?.type === 'object') this.#report('unknown', join(path, key));
      else if (seen.has(key) && !isSpecial) this.#report('duplicate', join(path, key));
      seen.add(key);
      // Nobody looks into what is not known, however deep it is.
      if (!child && known?.type === 'object') this.#skip();
      else this.value(child, join(path, key));
    }
    this.#at++;
  }

  /** Goes past a value. */
  #skip(): void {
    let depth = 0;
    do {
      const start = this.#next();
      if (start === '{' || start === '[') depth++;
      else if (start === '}' || start === ']') depth--;
      if (start === '"') this.#at = closingQuote(this.#text, this.#at);
      else if (depth === 0 && !'}]'.includes(start)) {
        this.value(undefined, '');
        return;
      }
      this.#at++;
    } while (depth > 0);
  }

  #list(shape: Shape | undefined, path: string): void {
    this.#at++;
    for (let index = 0; this.#next() !== ']'; index++) {
      if (this.#next() === ',') this.#at++;
      this.value(shape?.type === 'list' ? shape.items : undefined, `${path}[${index}]`);
    }
    this.#at++;
  }

  #report(what: 'unknown' | 'duplicate', path: string): void {
    const error = `${what} field ${JSON.stringify(path)}`;
    if (this.errors.length < strictErrorsMax && !this.errors.includes(error)) this.errors.push(error);
  }

  /** Skips white space; the character there. */
  #next(): string {
    while (' \n\r\t'.includes(this.#text.charAt(this.#at)) && this.#at < this.#text.length) this.#at++;
    return this.#text.charAt(this.#at);
  }
}

export const anyShape: Shape = { type: 'any' };

const join = (path: string, key: string) => (path ? `${path}.${key}` : key);
