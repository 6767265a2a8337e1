const absentLists = new WeakSet<object>();

/**
 * Marks a list that stands where JSON has null for one that is always there: to readers it is empty, but nobody set it,
 * and so nobody owns it.
 */
export function absentList(): unknown[] {
  const list: unknown[] = [];
  absentLists.add(list);
  return list;
}

/** Whether a list only stands for null. Copies of it are no longer marked. */
export const isAbsentList = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 0 && absentLists.has(value);
