import { absentList, isAbsentList } from './absent-lists.ts';

/**
 * Equality of JSON values as the API means it (equality.Semantic): no value, null and an empty list are the same; keys'
 * order does not matter. An empty object is a value of its own: `emptyDir: {}` says something.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' && typeof b !== 'object') return bothNaN(a, b);
  if (isEmpty(a) && isEmpty(b)) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (ArrayBuffer.isView(a) || ArrayBuffer.isView(b)) return equalBytes(a, b);
  return Array.isArray(a) && Array.isArray(b) ? equalLists(a, b) : equalObjects(a as Plain, b as Plain);
}

type Plain = Readonly<Record<string, unknown>>;

const bothNaN = (a: unknown, b: unknown) => Number.isNaN(a) && Number.isNaN(b);

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  return ArrayBuffer.isView(value) && value.byteLength === 0;
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) {
    if (!deepEqual(a[index], b[index])) return false;
  }
  return true;
}

function equalObjects(a: Plain, b: Plain): boolean {
  for (const key in a) {
    if (!deepEqual(a[key], Object.hasOwn(b, key) ? b[key] : undefined)) return false;
  }
  for (const key in b) {
    if (!Object.hasOwn(a, key) && !isEmpty(b[key])) return false;
  }
  return true;
}

function equalBytes(a: object, b: object): boolean {
  if (!(a instanceof Uint8Array) || !(b instanceof Uint8Array) || a.length !== b.length) return false;
  return a.every((byte, index) => byte === b[index]);
}

/** A copy that shares nothing; drops fields whose value is undefined. For JSON values. */
export function deepClone<T>(value: T): Mutable<T>;
export function deepClone(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isAbsentList(value)) return absentList();
  if (Array.isArray(value)) return value.map((item) => deepClone(item) as unknown);
  if (value instanceof Uint8Array) return value.slice();
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = (value as Plain)[key];
    if (item === undefined) continue;
    if (key === '__proto__') defineOwn(copy, key, deepClone(item));
    else copy[key] = typeof item === 'object' ? deepClone(item) : item;
  }
  return copy;
}

/** The type of a copy: `readonly` is about the original. */
export type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T;

/** A client's key "__proto__" is data, not the prototype. */
const defineOwn = (target: object, key: string, value: unknown) =>
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });

/** Freezes a JSON value and all in it; what is frozen already is taken to be frozen throughout. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) {
    return value;
  }
  Object.freeze(value);
  if (Array.isArray(value)) for (const item of value) deepFreeze(item);
  else for (const key in value) deepFreeze(value[key]);
  return value;
}
