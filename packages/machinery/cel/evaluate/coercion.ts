import { setListAddition } from './arithmetic.ts';
import { equals, setListEquality } from './equality.ts';
import { CelError } from '../errors.ts';
import { parseCelDuration, parseTimestamp } from './time-text.ts';
import type { CelType, ListType } from '../types.ts';
import { adapt, Double, isList, isObject, type CelValue } from '../values.ts';
import { work } from '../work.ts';

/** Makes a JSON value the value of the type that a schema gives it. Throws `CelError` for text that is not one. */
export type Coercion = (value: CelValue) => CelValue;

/** How JSON data becomes values of a type: times and bytes are read from text, whole numbers may be doubles. */
export function coercion(type: CelType): Coercion {
  return special(type) ?? adapt;
}

/** Undefined for types of which JSON data are values as they are. */
function special(type: CelType): Coercion | undefined {
  switch (type.kind) {
    case 'double':
      return (value) => (typeof value === 'number' ? new Double(value) : value);
    case 'timestamp':
      return (value) => (typeof value === 'string' ? readText(value, 'timestamp', readTime) : value);
    case 'duration':
      return (value) => (typeof value === 'string' ? readText(value, 'duration', parseCelDuration) : value);
    case 'bytes':
      return (value) => (typeof value === 'string' ? Uint8Array.from(Buffer.from(value, 'base64')) : value);
    case 'list':
      return listCoercion(special(type.element), type.listType);
    case 'map': {
      const each = special(type.value);
      if (each === undefined) return undefined;
      return (value) =>
        isObject(value)
          ? Object.fromEntries(counted(Object.entries(value)).map(([key, held]) => [key, each(held)]))
          : value;
    }
    default:
      return undefined;
  }
}

/** A time, or a date alone: schemas have both formats. */
const readTime = (text: string): CelValue | undefined => parseTimestamp(text) ?? parseTimestamp(`${text}T00:00:00Z`);

function readText(text: string, kind: string, read: (text: string) => CelValue | undefined): CelValue {
  const value = read(text);
  if (value === undefined) throw new CelError(`invalid ${kind}: "${text}"`);
  return value;
}

/** Each time that a list or map is read it is made anew. */
function counted<T>(list: readonly T[]): readonly T[] {
  work(list.length * 4);
  return list;
}

function listCoercion(each: Coercion | undefined, listType: ListType | undefined): Coercion | undefined {
  if (listType === undefined) {
    return each && ((value) => (isList(value) ? counted(value).map(each) : value));
  }
  return (value) => {
    if (!isList(value)) return value;
    const list = each === undefined ? value : counted(value).map(each);
    setListEquality(list, (a, b) => sameElements(a, b, listType));
    setListAddition(list, (a, b) => merge(a, b, listType));
    return list;
  };
}

/** Whether two elements of a list are the same one: equal in a set, of equal keys in a map list. */
function isSame(a: CelValue, b: CelValue, listType: ListType): boolean {
  if (listType.kind === 'set') return equals(a, b);
  if (!isObject(a) || !isObject(b)) return false;
  return listType.keys.every((key) => equals(a[key] ?? null, b[key] ?? null));
}

function sameElements(a: readonly CelValue[], b: readonly CelValue[], _listType: ListType): boolean {
  return a.every((element) => b.some((other) => equals(element, other)));
}

/** The list type's addition: a set gets what it has not, a map list has its elements replaced by key. */
function merge(a: readonly CelValue[], b: readonly CelValue[], listType: ListType): readonly CelValue[] {
  const result = [...a];
  for (const element of b) {
    const at = a.findIndex((own) => isSame(own, element, listType));
    if (at < 0) result.push(element);
    else if (listType.kind === 'map') result[at] = element;
  }
  return result;
}
