import { isPlain, type Plain } from '../json-value.ts';
import type { Shape } from '../shape.ts';
import { directiveError, formatGo, mergeKeyError, PatchFormatError } from './strategic-directives.ts';

/** What a field's tags say of its patches. */
export interface PatchMeta {
  /** The shape of the field's value. */
  readonly shape: Shape | undefined;
  readonly strategy: 'merge' | 'replace' | '';
  readonly mergeKey: string;
}

/** Merges two items of a list; handed in, because objects and lists merge each other. */
type MergeObject = (original: Plain, patch: Plain, shape: Shape | undefined) => Plain;

interface ListMerge {
  /** The patch's values are taken out, not put in. */
  readonly deletes: boolean;
  readonly mergeObject: MergeObject;
}

type List = readonly unknown[];

/** Merges a patch's list into the live one, or takes its values out where it `deletes`. */
export function mergeList(live: List, patch: List, meta: PatchMeta, how: ListMerge): List {
  if (live.length === 0 && patch.length === 0) return live;
  if (!holdsObjects(live, patch)) {
    if (how.deletes) return withoutValues(live, patch);
    const merged = [...new Set([...live, ...patch])];
    return ordered(merged, patch, live, meta);
  }
  if (meta.mergeKey === '') throw new PatchFormatError('cannot merge lists without merge key');
  const { kept, changes } = applyListDirectives(live, patch as readonly Plain[], meta.mergeKey);
  return ordered(mergeByKey(kept, changes, meta, how.mergeObject), changes, kept, meta);
}

/** The same, in the order that "$setElementOrder" gives; what only the server has keeps its place among the rest. */
export function orderList(
  live: List | undefined,
  patch: List | undefined,
  order: List,
  meta: PatchMeta,
  mergeObject: MergeObject,
): List {
  checkOrder(patch ?? [], order, meta.mergeKey);
  let merged = live ?? (patch ?? []).filter((item) => !isDirective(item));
  if (live && patch)
    merged = meta.strategy === 'merge' ? mergeList(live, patch, meta, { deletes: false, mergeObject }) : patch;
  if (merged.length === 0) return merged;
  return ordered(merged, order, live ?? [], meta);
}

function holdsObjects(...lists: readonly List[]): boolean {
  let kind: string | undefined;
  for (const item of lists.flat()) {
    if (Array.isArray(item)) throw new PatchFormatError('lists of lists are not supported');
    const own = item === null ? 'null' : typeof item;
    if (kind !== undefined && kind !== own) {
      throw new PatchFormatError(`list element types are not identical: ${formatGo(lists)}`);
    }
    kind = own;
  }
  return kind === 'object';
}

const withoutValues = (live: List, values: List) => {
  const gone = new Set(values);
  return live.filter((item) => !gone.has(item));
};

const isDirective = (item: unknown) => isPlain(item) && Object.hasOwn(item, '$patch');

/** Elements with "$patch" delete the live one of their key, or say that the patch's list replaces the live one. */
function applyListDirectives(live: List, patch: readonly Plain[], mergeKey: string): { kept: List; changes: List } {
  const deleted = new Set<unknown>();
  let replaces = false;
  for (const item of patch.filter(isDirective)) {
    const directive = item['$patch'];
    if (directive === 'replace') replaces = true;
    else if (directive === 'merge') throw new PatchFormatError('merging lists cannot yet be specified in the patch');
    else if (directive !== 'delete') throw directiveError(directive, item);
    else if (!Object.hasOwn(item, mergeKey)) throw mergeKeyError(item, mergeKey);
    else deleted.add(item[mergeKey]);
  }
  const changes = patch.filter((item) => !isDirective(item));
  if (replaces) return { kept: changes, changes: [] };
  const kept = live.filter((item) => !(isPlain(item) && Object.hasOwn(item, mergeKey) && deleted.has(item[mergeKey])));
  return { kept, changes };
}

function mergeByKey(live: List, changes: List, meta: PatchMeta, mergeObject: MergeObject): List {
  const items = meta.shape?.type === 'list' ? meta.shape.items : undefined;
  const merged = [...live];
  const positions = positionsOf(merged, meta.mergeKey);
  for (const change of changes as readonly Plain[]) {
    if (!Object.hasOwn(change, meta.mergeKey)) throw mergeKeyError(change, meta.mergeKey);
    const position = positions.get(change[meta.mergeKey]);
    if (position === undefined) {
      positions.set(change[meta.mergeKey], merged.length);
      merged.push(change);
    } else merged[position] = mergeObject(merged[position] as Plain, change, items);
  }
  return merged;
}

/** Where each key (or scalar) stands first. */
function positionsOf(list: List, mergeKey: string): Map<unknown, number> {
  const positions = new Map<unknown, number>();
  list.forEach((item, index) => {
    const key = keyOf(item, mergeKey);
    if (!positions.has(key)) positions.set(key, index);
  });
  return positions;
}

const keyOf = (item: unknown, mergeKey: string) => (mergeKey !== '' && isPlain(item) ? item[mergeKey] : item);

/**
 * Items that `order` names come in its order; the others stay in the live order, and stand before an item of `order`
 * only where they did so in the live list.
 */
function ordered(merged: List, order: List, live: List, { mergeKey }: PatchMeta): List {
  const orderOf = positionsOf(order, mergeKey);
  const liveOf = positionsOf(live, mergeKey);
  const place = (positions: Map<unknown, number>, item: unknown) => positions.get(keyOf(item, mergeKey)) ?? -1;
  const named: unknown[] = [];
  const others: unknown[] = [];
  for (const item of merged) {
    if (mergeKey !== '' && isPlain(item) && !Object.hasOwn(item, mergeKey)) throw mergeKeyError(item, mergeKey);
    (orderOf.has(keyOf(item, mergeKey)) ? named : others).push(item);
  }
  named.sort((a, b) => place(orderOf, a) - place(orderOf, b));
  others.sort((a, b) => place(liveOf, a) - place(liveOf, b));
  const result: unknown[] = [];
  let next = 0;
  for (const item of named) {
    const position = place(liveOf, item);
    while (next < others.length && position >= 0 && isBefore(place(liveOf, others[next]), position)) {
      result.push(others[next]);
      next += 1;
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

const isBefore = (position: number, other: number) => position >= 0 && position < other;

/** The patch's items must be in "$setElementOrder" in the same order. */
function checkOrder(patch: List, order: List, mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const kept = patch.filter((item) => !isDirective(item));
  let next = 0;
  for (const item of order) {
    if (next < kept.length && keyOf(kept[next], mergeKey) === keyOf(item, mergeKey)) next += 1;
  }
  if (next === kept.length) return;
  const lists = `${formatGo(patch)}\n doesn't match $setElementOrder list:\n${formatGo(order)}`;
  throw new PatchFormatError(`The order in patch list:\n${lists}\n`);
}
