import { isAbsentList } from '../absent-lists.ts';
import { deepFreeze } from '../deep.ts';
import type { Plain } from '../json-value.ts';
import type { ListShape, Shape } from '../shape.ts';
import { compareObjects } from './compare.ts';
import { difference, recursiveDifference, type Fields } from './fields.ts';
import { formOf, shapeBelow } from './forms.ts';
import { strippedFields } from './ownership.ts';

/** Of each type, so many forms of its objects are remembered: a controller writes one, and there are a few of them. */
const formsMax = 8;
/** Objects of more values are compared each time. */
const nodesMax = 1_000;
/** So are those with more text in what is remembered of them. */
const textMax = 16_384;

/**
 * What whoever creates an object comes to own; the set is frozen, and shared. It depends on the object's form alone: on
 * which fields, items and keys it has, not on what most of them say. So objects of the same form, as the replicas of a
 * workload are, are only compared with the form of one before them.
 */
export function fieldsOfNew(object: Plain, shape: Shape, resetFields: Fields | undefined): Fields {
  let forms = formsOf.get(shape);
  if (!forms) formsOf.set(shape, (forms = []));
  for (let index = 0; index < forms.length; index += 1) {
    const form = forms[index]!;
    if (form.resetFields !== resetFields || !isAlike(form.root, object)) continue;
    // Those that are used stay: the one behind is the next to go.
    if (index > 0) [forms[index - 1], forms[index]] = [form, forms[index - 1]!];
    return form.fields;
  }
  const fields = deepFreeze(compared(object, shape, resetFields));
  const root = new Recording().nodeOf(object, shape);
  if (root) {
    if (forms.length === formsMax) forms.pop();
    forms.push({ root, resetFields, fields });
  }
  return fields;
}

interface KnownForm {
  readonly root: Node;
  readonly resetFields: Fields | undefined;
  readonly fields: Fields;
}

const formsOf = new WeakMap<Shape, KnownForm[]>();

function compared(object: Plain, shape: Shape, resetFields: Fields | undefined): Fields {
  const { changed } = compareObjects({}, object, shape);
  return difference(resetFields ? recursiveDifference(changed, resetFields) : changed, strippedFields);
}

/** The form of one value; values of the same form are owned alike. */
type Node =
  /** Any scalar that is nobody's zero value. */
  | { readonly kind: 'scalar' }
  /** This very scalar: a key, an item of a set, or what may be a zero value. */
  | { readonly kind: 'exactly'; readonly value: unknown }
  /** Owned as a whole, and not empty. */
  | { readonly kind: 'whole'; readonly isList: boolean }
  | { readonly kind: 'emptyList'; readonly isAbsent: boolean }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'object'; readonly keys: readonly string[]; readonly values: readonly Node[] };

const scalar: Node = { kind: 'scalar' };

/** Values that a field may have when nobody set it (`zeroFields` in forms.ts), and those that are no plain scalar. */
const isScalar = (value: unknown): boolean =>
  typeof value === 'string' ? value !== '' && value !== '0' : typeof value === 'number' ? value !== 0 : value === true;

function isAlike(node: Node, value: unknown): boolean {
  switch (node.kind) {
    case 'scalar':
      return isScalar(value);
    case 'exactly':
      return value === node.value;
    case 'whole':
      return isFilled(value) && Array.isArray(value) === node.isList;
    case 'emptyList':
      return Array.isArray(value) && value.length === 0 && isAbsentList(value) === node.isAbsent;
    case 'list':
      return Array.isArray(value) && value.length === node.items.length && hasItems(value, node.items);
    case 'object':
      return typeof value === 'object' && value !== null && hasFields(value as Plain, node.keys, node.values);
  }
}

function hasItems(list: readonly unknown[], nodes: readonly Node[]): boolean {
  for (let index = 0; index < nodes.length; index += 1) if (!isAlike(nodes[index]!, list[index])) return false;
  return true;
}

function hasFields(object: Plain, keys: readonly string[], nodes: readonly Node[]): boolean {
  if (Array.isArray(object) || object instanceof Uint8Array) return false;
  let index = 0;
  for (const key in object) {
    if (index === keys.length || key !== keys[index] || !isAlike(nodes[index]!, object[key])) return false;
    index += 1;
  }
  return index === keys.length;
}

/** Whether a list or an object holds anything; bytes are neither. */
function isFilled(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  if (Array.isArray(value)) return value.length > 0;
  for (const key in value) if ((value as Plain)[key] !== undefined) return true;
  return false;
}

/** Writes the form of one object down, up to some size. */
class Recording {
  #nodes = 0;
  #text = 0;

  /** undefined: what it would own cannot be told by its form, or it is too large. */
  nodeOf(value: unknown, shape: Shape): Node | undefined {
    this.#nodes += 1;
    if (this.#nodes > nodesMax || this.#text > textMax) return undefined;
    if (typeof value !== 'object' || value === null) return isScalar(value) ? scalar : this.#exactly(value);
    if (Array.isArray(value) && value.length === 0) return { kind: 'emptyList', isAbsent: isAbsentList(value) };
    const form = formOf(value, shape);
    if (form.kind === 'leaf' && isFilled(value)) return { kind: 'whole', isList: Array.isArray(value) };
    if (form.kind === 'leaf')
      return value instanceof Uint8Array ? undefined : this.#objectOf(value as Plain, shape, noKeys);
    if (form.kind === 'object') return this.#objectOf(form.value, shape, noKeys);
    const items: Node[] = [];
    for (const item of form.value) {
      const node = this.#itemOf(item, form.list);
      if (!node) return undefined;
      items.push(node);
    }
    return { kind: 'list', items };
  }

  /** Items are told apart by their keys, or by what they are. */
  #itemOf(item: unknown, list: ListShape): Node | undefined {
    if (typeof item !== 'object' || item === null) return this.#exactly(item);
    const form = formOf(item, list.items);
    return form.kind === 'object' && list.listType === 'map'
      ? this.#objectOf(form.value, list.items, list.keys)
      : undefined;
  }

  #objectOf(object: Plain, shape: Shape, exactKeys: readonly string[]): Node | undefined {
    const keys: string[] = [];
    const values: Node[] = [];
    for (const key in object) {
      const value = object[key];
      const isKey = exactKeys.includes(key);
      if (isKey && typeof value === 'object' && value !== null) return undefined;
      const node = isKey ? this.#exactly(value) : this.nodeOf(value, shapeBelow(shape, key));
      if (!node) return undefined;
      this.#text += key.length;
      keys.push(key);
      values.push(node);
    }
    return { kind: 'object', keys, values };
  }

  #exactly(value: unknown): Node {
    if (typeof value === 'string') this.#text += value.length;
    return { kind: 'exactly', value };
  }
}

const noKeys: readonly string[] = [];
