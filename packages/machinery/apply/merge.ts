import { setOwn, type Plain } from '../json-value.ts';
import type { ListShape, Shape } from '../shape.ts';
import { elementOf } from './elements.ts';
import { indexItems } from './compare.ts';
import { formOf, shapeBelow } from './forms.ts';

/** The live object with an applied configuration merged in: what it sets wins, the rest stays. Changes neither. */
export function mergeConfiguration(live: Plain, applied: Plain, shape: Shape): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...live };
  for (const key of Object.keys(applied)) {
    const value = applied[key];
    if (value === undefined) continue;
    const old = Object.hasOwn(live, key) ? live[key] : undefined;
    setOwn(merged, key, old === undefined ? value : mergeValues(old, value, shapeBelow(shape, key)));
  }
  return merged;
}

function mergeValues(live: unknown, applied: unknown, shape: Shape): unknown {
  const from = formOf(live, shape);
  const to = formOf(applied, shape);
  if (from.kind === 'object' && to.kind === 'object') return mergeConfiguration(from.value, to.value, shape);
  if (from.kind === 'list' && to.kind === 'list') return mergeItems(from.value, to.value, to.list);
  return applied;
}

function mergeItems(live: readonly unknown[], applied: readonly unknown[], list: ListShape): unknown[] {
  const liveElements = live.map((item) => elementOf(list, item));
  const appliedElements = applied.map((item) => elementOf(list, item));
  const liveOf = indexItems(live, list);
  const appliedOf = indexItems(applied, list);
  return mergeOrder(liveElements, appliedElements).map(({ element, liveIndex }) => {
    if (liveIndex !== undefined) return live[liveIndex];
    const value = appliedOf.get(element)?.[0];
    const olds = liveOf.get(element) ?? [];
    return olds.length === 1 ? mergeValues(olds[0], value, list.items) : value;
  });
}

interface Place {
  readonly element: string;
  /** Set where the item is the live one, unmerged. */
  readonly liveIndex?: number;
}

/**
 * The order of a merged list: applied items in their order, live ones in theirs, and a live item before an applied one
 * that it stood before (structured-merge-diff's order of associative lists).
 */
export function mergeOrder(live: readonly string[], applied: readonly string[]): Place[] {
  const inLive = new Set(live);
  const inApplied = new Set(applied);
  const shared = applied.filter((element) => inLive.has(element));
  const done = new Set<string>();
  const order: Place[] = [];
  let sharedIndex = 0;
  let left = 0;
  let right = 0;
  const take = (element: string) => {
    done.add(element);
    order.push({ element });
    right += 1;
    if (shared[sharedIndex] === element) sharedIndex += 1;
  };
  while (left < live.length || right < applied.length) {
    const old = live[left];
    const next = applied[right];
    const nextShared = shared[sharedIndex];
    if (old !== undefined && old === next) {
      left += 1;
      take(old);
    } else if (old !== undefined && !inApplied.has(old)) {
      order.push({ element: old, liveIndex: left });
      left += 1;
    } else if (old !== undefined && next !== undefined && nextShared !== undefined && nextShared !== old) {
      // A shared item that is not the next one in the applied order waits for its turn there.
      left += 1;
    } else {
      if (old !== undefined && done.has(old)) left += 1;
      if (next !== undefined) take(next);
    }
  }
  return order;
}
