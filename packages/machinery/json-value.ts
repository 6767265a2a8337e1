/** An object of JSON, not to be changed. */
export type Plain = Readonly<Record<string, unknown>>;

export const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Also for the key `__proto__`, which plain assignment would take for the prototype. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** A copy whose objects have their keys in order, as Go prints maps. */
export function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isPlain(value)) return value;
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) setOwn(sorted, key, withSortedKeys(value[key]));
  return sorted;
}

type List = readonly unknown[];

/**
 * Exactly the same JSON; keys' order does not matter, a key whose value is undefined is not there. `areSame` may tell lists
 * apart whose items are the same.
 */
export function sameJson(a: unknown, b: unknown, areSame?: (a: List, b: List) => boolean): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length || areSame?.(a, b) === false) return false;
    return a.every((item, index) => sameJson(item, b[index], areSame));
  }
  if (!isPlain(a) || !isPlain(b)) return false;
  for (const key in a) {
    if (!sameJson(a[key], Object.hasOwn(b, key) ? b[key] : undefined, areSame)) return false;
  }
  for (const key in b) {
    if (b[key] !== undefined && !Object.hasOwn(a, key)) return false;
  }
  return true;
}
