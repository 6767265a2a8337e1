import { parseJsonExactly } from '../json-integers.ts';
import { isPlain } from '../json-value.ts';
import type { Field, ListShape } from '../shape.ts';

/*
 * The elements of a path in a field set, in the form that FieldsV1 gives them: `f:name` a field, `k:{"name":"a"}` an
 * item of a list of maps, `v:"x"` an item of a set, `i:0` an index.
 */

/** What is wrong with a list's item, as upstream words it. */
export class ElementError extends Error {
  override readonly name = 'ElementError';

  /** Without a stack, which takes longer than all else: a list may have a hundred thousand wrong items. */
  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The element of a list's item. Throws an ElementError where the item has no key or is of the wrong form. */
export function elementOf(list: ListShape, item: unknown): string {
  return list.listType === 'map' ? keyElement(list, item) : valueElement(item);
}

function valueElement(item: unknown): string {
  if (item === null || item === undefined) {
    throw new ElementError("associative list without keys has an element that's an explicit null");
  }
  if (Array.isArray(item)) throw new ElementError('not supported: associative list with lists as elements');
  if (typeof item === 'object') {
    throw new ElementError("associative list without keys has an element that's a map type");
  }
  return `v:${goJson(item)}`;
}

interface Key {
  readonly name: string;
  /** `"name":` */
  readonly prefix: string;
  readonly default: unknown;
}

const keysOf = new WeakMap<ListShape, readonly Key[]>();

function sortedKeys(list: ListShape): readonly Key[] {
  const known = keysOf.get(list);
  if (known) return known;
  const { items } = list;
  const keys = [...list.keys].sort().map((name) => {
    const field = items.type === 'object' ? items.byName.get(name) : undefined;
    return { name, prefix: `${JSON.stringify(name)}:`, default: field?.default ?? zeroKey(field) };
  });
  keysOf.set(list, keys);
  return keys;
}

/** A key that JSON always carries is there with its zero value, too. */
function zeroKey(field: Field | undefined): unknown {
  if (!field || field.pointer || field.omitempty) return undefined;
  if (field.shape.type === 'string') return '';
  return field.shape.type === 'int32' || field.shape.type === 'int64' ? 0 : undefined;
}

function keyElement(list: ListShape, item: unknown): string {
  if (item === null || item === undefined) {
    throw new ElementError('associative list with keys may not have a null element');
  }
  if (!isPlain(item)) throw new ElementError('associative list with keys may not have non-map elements');
  let text = '';
  for (const key of sortedKeys(list)) {
    const value = item[key.name] ?? key.default;
    if (value === undefined || value === null) continue;
    text += `${text === '' ? '' : ','}${key.prefix}${goJson(value)}`;
  }
  if (text !== '') return `k:{${text}}`;
  const names = list.keys.map((name) => JSON.stringify(name)).join(' ');
  const why = "(and doesn't have default values for any key fields)";
  throw new ElementError(`associative list with keys has an element that omits all key fields [${names}] ${why}`);
}

/** JSON as Go writes it: with `<`, `>` and `&` escaped. */
function goJson(value: unknown): string {
  const text = JSON.stringify(value);
  return /[<>&\u2028\u2029]/.test(text) ? text.replace(/[<>&\u2028\u2029]/g, escapeCharacter) : text;
}

const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Whether the text is an element at all. */
export function isElement(text: string): boolean {
  switch (text.slice(0, 2)) {
    case 'f:':
      return true;
    case 'k:':
      return isPlain(parsed(text));
    case 'v:':
      return parsed(text) !== undefined;
    case 'i:':
      return /^i:-?\d+$/.test(text);
    default:
      return false;
  }
}

function parsed(element: string): unknown {
  try {
    return parseJsonExactly(element.slice(2));
  } catch {
    return undefined;
  }
}

/** The order of elements: fields, keys, values, indexes; each by value, so that port 80 is before 443. */
export function compareElements(a: string, b: string): number {
  if (a === b) return 0;
  if (isField(a) && isField(b)) return a < b ? -1 : 1;
  const kindA = kinds.indexOf(a.charAt(0));
  const kindB = kinds.indexOf(b.charAt(0));
  if (kindA !== kindB) return kindA - kindB;
  if (kindA <= 1) return a < b ? -1 : 1;
  if (kindA === 4) return Number(a.slice(2)) - Number(b.slice(2));
  return compareValues(parsed(a), parsed(b)) || (a < b ? -1 : 1);
}

/** Nearly all are. */
const isField = (element: string) => element.charCodeAt(0) === 102;

/** "." is first: the node itself. */
const kinds = '.fkvi';
const ranks = ['number', 'string', 'boolean'];
const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';
const rankOf = (value: unknown) => ranks.indexOf(isNumber(value) ? 'number' : typeof value);

function compareValues(a: unknown, b: unknown): number {
  if (isPlain(a) && isPlain(b)) return compareKeys(Object.entries(a), Object.entries(b));
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a !== typeof b) return rankOf(a) - rankOf(b);
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

function compareKeys(a: readonly (readonly [string, unknown])[], b: readonly (readonly [string, unknown])[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const [nameA, valueA] = a[index] ?? [''];
    const [nameB, valueB] = b[index] ?? [''];
    if (nameA !== nameB) return nameA < nameB ? -1 : 1;
    const order = compareValues(valueA, valueB);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** An element as messages show it: `.spec`, `[name="a"]`, `[="x"]`, `[0]`. */
export function formatElement(element: string): string {
  if (element.startsWith('f:')) return `.${element.slice(2)}`;
  if (element.startsWith('i:')) return `[${element.slice(2)}]`;
  const value = parsed(element);
  if (!element.startsWith('k:') || !isPlain(value)) return `[=${JSON.stringify(value)}]`;
  return `[${Object.entries(value)
    .map(([name, item]) => `${name}=${JSON.stringify(item)}`)
    .join(',')}]`;
}
