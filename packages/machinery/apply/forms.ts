import { isPlain, type Plain } from '../json-value.ts';
import type { Field, ListShape, ObjectShape, Shape } from '../shape.ts';

/** What a value is to ownership: owned as a whole, by its keys, or by its items. */
export type Form =
  | { readonly kind: 'leaf' }
  | { readonly kind: 'object'; readonly value: Plain }
  | { readonly kind: 'list'; readonly value: readonly unknown[]; readonly list: ListShape };

const leafForm: Form = { kind: 'leaf' };
const anyShape: Shape = { type: 'any' };

export function formOf(value: unknown, shape: Shape): Form {
  if (Array.isArray(value)) {
    if (shape.type !== 'list' || shape.listType === 'atomic') return leafForm;
    return { kind: 'list', value, list: shape };
  }
  if (!isPlain(value) || value instanceof Uint8Array) return leafForm;
  switch (shape.type) {
    case 'object':
    case 'map':
      return shape.atomic ? leafForm : { kind: 'object', value };
    case 'any':
      return { kind: 'object', value };
    default:
      return leafForm;
  }
}

/** The shape of what is under a key; undefined where a declared type has no such field. */
export function shapeUnder(shape: Shape, key: string): Shape | undefined {
  switch (shape.type) {
    case 'object':
      return shape.byName.get(key)?.shape ?? (shape.name === '' ? anyShape : undefined);
    case 'map':
      return shape.values;
    default:
      return anyShape;
  }
}

export const shapeBelow = (shape: Shape, key: string): Shape => shapeUnder(shape, key) ?? anyShape;

/** Whether the key is a declared field, as against a map's key. */
export const isDeclared = (shape: Shape, key: string) => shape.type === 'object' && shape.byName.has(key);

const elementsOf = new Map<string, string>();
/** More fields than all kinds have; those of custom resources come and go. */
const elementsMax = 20_000;

/**
 * A key's element. Those of declared fields are the same text each time: a text that is new has to be looked up among all
 * keys that the engine knows before it can be a key.
 */
export function elementOfKey(shape: Shape, key: string): string {
  if (!isDeclared(shape, key)) return `f:${key}`;
  const known = elementsOf.get(key);
  if (known !== undefined) return known;
  const element = `f:${key}`;
  if (elementsOf.size < elementsMax) elementsOf.set(key, element);
  return element;
}

/**
 * The fields that upstream's JSON of a type always has, with the value they have when nothing was set: Go writes
 * structs even when they are empty. They are nobody's until they differ from it.
 */
export function zeroFields(shape: Shape): ReadonlyMap<string, unknown> {
  if (shape.type !== 'object' || shape.name === '') return noZeroFields;
  const known = zeroFieldsOf.get(shape);
  if (known) return known;
  const zeros = new Map<string, unknown>();
  for (const field of shape.fields) {
    const zero = zeroOf(field);
    if (zero !== undefined) zeros.set(field.name, zero);
  }
  zeroFieldsOf.set(shape, zeros);
  return zeros;
}

const noZeroFields: ReadonlyMap<string, unknown> = new Map();
const zeroFieldsOf = new WeakMap<ObjectShape, ReadonlyMap<string, unknown>>();

function zeroOf({ name, pointer, omitempty, shape }: Field): unknown {
  if (pointer) return undefined;
  switch (shape.type) {
    case 'object':
      return {};
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    case 'time':
    case 'microtime':
      // The one time that Go leaves out when it is zero.
      return name === 'creationTimestamp' ? undefined : null;
    case 'string':
    case 'duration':
      return omitempty ? undefined : '';
    case 'bool':
      return omitempty ? undefined : false;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'float32':
    case 'float64':
      return omitempty ? undefined : 0;
    default:
      return omitempty ? undefined : null;
  }
}
