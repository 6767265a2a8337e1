import type { Plain } from '../json-value.ts';
import type { ListShape, Shape } from '../shape.ts';
import { ElementError, elementOf, formatElement } from './elements.ts';
import { leaf, nodeOf, rootOf, type Fields } from './fields.ts';
import { elementOfKey, formOf, isDeclared, shapeBelow, shapeUnder, type Form } from './forms.ts';

/** An applied configuration that cannot be merged; the client's mistake. */
export class ApplyError extends Error {
  override readonly name = 'ApplyError';
}

/** The paths that a configuration sets: leaves, keys of maps and items of lists. */
export function fieldSetOf(value: Plain, shape: Shape): Fields {
  return childrenOfObject(value, shape);
}

function childrenOfObject(value: Plain, shape: Shape): Fields {
  const children: [string, Fields][] = [];
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (item === undefined) continue;
    const below = shapeBelow(shape, key);
    const form = formOf(item, below);
    const self = form.kind === 'leaf' || !isDeclared(shape, key) || isEmptyObject(form);
    const node = nodeOf(self, childrenOfForm(form, below));
    if (node) children.push([elementOfKey(shape, key), node]);
  }
  return rootOf(children);
}

const isEmptyObject = (form: Form) => form.kind === 'object' && Object.keys(form.value).length === 0;

function childrenOfForm(form: Form, shape: Shape): [string, Fields][] {
  if (form.kind === 'leaf') return [];
  if (form.kind === 'object') return Object.entries(childrenOfObject(form.value, shape));
  const children = new Map<string, Fields>();
  const { items } = form.list;
  for (const item of form.value) {
    const element = tryElement(form.list, item);
    if (element === undefined) continue;
    const node = nodeOf(true, childrenOfForm(formOf(item, items), items)) ?? leaf;
    children.set(element, children.has(element) ? leaf : node);
  }
  return [...children];
}

function tryElement(list: ListShape, item: unknown): string | undefined {
  try {
    return elementOf(list, item);
  } catch (error) {
    if (error instanceof ElementError) return undefined;
    throw error;
  }
}

/** The same set, in which every declared field that has something below is a member itself. */
export function withDeclaredFields(set: Fields, shape: Shape): Fields {
  const children: [string, Fields][] = [];
  for (const [element, child] of Object.entries(set)) {
    if (element === '.') continue;
    const key = element.startsWith('f:') ? element.slice(2) : undefined;
    const below = key === undefined ? itemsOf(shape) : shapeBelow(shape, key);
    const inner = Object.entries(withDeclaredFields(child, below)).filter(([name]) => name !== '.');
    const self = '.' in child || inner.length === 0 || (key !== undefined && isDeclared(shape, key));
    children.push([element, nodeOf(self, inner) ?? leaf]);
  }
  return rootOf(children);
}

const itemsOf = (shape: Shape): Shape => (shape.type === 'list' ? shape.items : { type: 'any' });

/** Deeper than any kind; merging recurses, and a client must not end the stack. */
const depthMax = 500;

/**
 * Checks that an applied configuration has only fields of its type, of the right form, and no key twice in a list.
 * Throws an ApplyError with upstream's wording.
 */
export function checkConfiguration(value: unknown, shape: Shape, path = '', depth = 0): void {
  if (value === null || value === undefined) return;
  if (depth > depthMax) throw new ApplyError(`the configuration is nested deeper than ${depthMax} levels`);
  const form = formOf(value, shape);
  if (form.kind === 'list') {
    checkItems(form.value, form.list, path, depth);
    return;
  }
  if (form.kind === 'object') {
    for (const key of Object.keys(form.value)) {
      const below = shapeUnder(shape, key);
      if (!below) throw new ApplyError(`${path}.${key}: field not declared in schema`);
      checkConfiguration(form.value[key], below, `${path}.${key}`, depth + 1);
    }
    return;
  }
  const expected = expectedForm(value, shape);
  if (expected) throw new ApplyError(`${path}: expected ${expected}, got ${JSON.stringify(value)}`);
}

function checkItems(items: readonly unknown[], list: ListShape, path: string, depth: number): void {
  const seen = new Set<string>();
  items.forEach((item, index) => {
    let element: string;
    try {
      element = elementOf(list, item);
    } catch (error) {
      if (!(error instanceof ElementError)) throw error;
      throw new ApplyError(`${path}: element ${index}: ${error.message}`, { cause: error });
    }
    if (seen.has(element)) throw new ApplyError(`${path}: duplicate entries for key ${formatElement(element)}`);
    seen.add(element);
    checkConfiguration(item, list.items, `${path}${formatElement(element)}`, depth + 1);
  });
}

const stringTypes = new Set(['string', 'bytes', 'time', 'microtime', 'duration']);
const numberTypes = new Set(['int32', 'int64', 'uint32', 'uint64', 'float32', 'float64']);

/** What should have been there, where the value's form is not its shape's. */
function expectedForm(value: unknown, shape: Shape): string | undefined {
  const actual = Array.isArray(value) ? 'list' : typeof value === 'object' ? 'map' : typeof value;
  if (shape.type === 'object' || shape.type === 'map') return actual === 'map' ? undefined : 'map';
  if (shape.type === 'list') return actual === 'list' ? undefined : 'list';
  if (stringTypes.has(shape.type)) return actual === 'string' ? undefined : 'string';
  if (numberTypes.has(shape.type))
    return actual === 'number' || actual === 'bigint' ? undefined : 'numeric (int or float)';
  if (shape.type === 'bool') return actual === 'boolean' ? undefined : 'boolean';
  if (shape.type === 'quantity' || shape.type === 'intOrString') {
    return actual === 'string' || actual === 'number' ? undefined : 'string';
  }
  return undefined;
}
