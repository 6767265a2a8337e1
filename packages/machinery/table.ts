/**
 * A table that is looked into by names that others chose: it inherits nothing, so `constructor` and `__proto__` are not in
 * it unless they were put there.
 */
export function table<T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.freeze(Object.assign(Object.create(null) as Record<string, T>, entries));
}
