/** Where each value of a list stands first. A list may have a million items: nobody should look for each from the start. */
export function firstIndexes<T>(list: readonly T[]): ReadonlyMap<T, number> {
  const first = new Map<T, number>();
  for (let index = list.length - 1; index >= 0; index -= 1) first.set(list[index] as T, index);
  return first;
}

/** The indexes of values that stand further ahead, too. */
export function repeatedAt(list: readonly unknown[]): number[] {
  const first = firstIndexes(list);
  return list.flatMap((value, index) => (first.get(value)! < index ? [index] : []));
}
