import { isAbsentList } from '../absent-lists.ts';
import { sameJson, type Plain } from '../json-value.ts';
import type { ListShape, Shape } from '../shape.ts';
import { ElementError, elementOf } from './elements.ts';
import { leaf, nodeOf, noFields, type Fields } from './fields.ts';
import { elementOfKey, formOf, shapeBelow, zeroFields } from './forms.ts';

/** How an object came to differ: the paths that are new or have another value, and those that are gone. */
export interface Comparison {
  readonly changed: Fields;
  readonly removed: Fields;
}

const same: Comparison = { changed: noFields, removed: noFields };

/** Compares two forms of an object of a shape; `before` is {} for a new object. Costs little where parts are shared. */
export function compareObjects(before: Plain, after: Plain, shape: Shape): Comparison {
  // Of the spec and the status, one has mostly not changed at all, which takes a look without their shapes.
  const changes = compareFields(before, after, shape, isUnchanged);
  if (!changes) return same;
  return {
    changed: nodeOf(false, changes.changed) ?? noFields,
    removed: nodeOf(false, changes.removed) ?? noFields,
  };
}

interface Changes {
  changed: [string, Fields][];
  removed: [string, Fields][];
  /** The node itself has another value (or is gone, or new). */
  selfChanged: boolean;
}

const newChanges = (selfChanged = false): Changes => ({ changed: [], removed: [], selfChanged });

/** undefined where nothing changed. */
function compareValues(before: unknown, after: unknown, shape: Shape): Changes | undefined {
  if (before === after) return undefined;
  const from = formOf(before, shape);
  const to = formOf(after, shape);
  if (from.kind === 'object' && to.kind === 'object') return compareFields(from.value, to.value, shape);
  if (from.kind === 'list' && to.kind === 'list') return compareItems(from.value, to.value, to.list);
  if (to.kind === 'object' && before === null) return compareFields({}, to.value, shape);
  if (from.kind === 'object' && after === null) return compareFields(from.value, {}, shape);
  if (to.kind === 'list' && before === null) return compareWithNull([], to.value, to.list);
  if (from.kind === 'list' && after === null) return compareWithNull(from.value, [], from.list);
  if (from.kind === 'leaf' && to.kind === 'leaf') {
    return sameJson(before, after) ? undefined : newChanges(true);
  }
  const changes = newChanges(true);
  changes.changed.push(...childrenOf(fieldsBelow(after, shape)));
  changes.removed.push(...childrenOf(fieldsBelow(before, shape)));
  return changes;
}

/** null and a list hold the same items, but null and an empty list are two values. */
const compareWithNull = (before: readonly unknown[], after: readonly unknown[], list: ListShape) =>
  before.length + after.length === 0 ? newChanges(true) : compareItems(before, after, list);

const childrenOf = (node: Fields) => Object.entries(node).filter(([element]) => element !== '.');

/** A field as it is printed: a list that nobody set is null, and an empty one may be left out. */
function asWritten(holder: Plain, key: string, shape: Shape): unknown {
  const value = holder[key];
  if (!Array.isArray(value) || value.length > 0) return value;
  if (isAbsentList(value)) return null;
  const field = shape.type === 'object' ? shape.byName.get(key) : undefined;
  return field?.omitempty && !field.pointer ? undefined : value;
}

function compareFields(before: Plain, after: Plain, shape: Shape, isSame = Object.is): Changes | undefined {
  const zeros = zeroFields(shape);
  let changes: Changes | undefined;
  for (const key in after) {
    const value = asWritten(after, key, shape);
    if (value === undefined) continue;
    const written = Object.hasOwn(before, key) ? asWritten(before, key, shape) : undefined;
    if (isSame(written, value)) continue;
    const old = written ?? (zeros.has(key) ? zeros.get(key) : written);
    changes = addChange(changes, elementOfKey(shape, key), old, value, shapeBelow(shape, key));
  }
  for (const key in before) {
    const old = asWritten(before, key, shape);
    if (old === undefined || (Object.hasOwn(after, key) && asWritten(after, key, shape) !== undefined)) continue;
    changes = addChange(changes, elementOfKey(shape, key), old, zeros.get(key), shapeBelow(shape, key));
  }
  return changes;
}

function addChange(
  changes: Changes | undefined,
  element: string,
  before: unknown,
  after: unknown,
  shape: Shape,
): Changes | undefined {
  if (before === after) return changes;
  const all = changes ?? newChanges();
  if (before === undefined) {
    all.changed.push([element, fieldsBelow(after, shape)]);
    return all;
  }
  if (after === undefined) {
    all.removed.push([element, fieldsBelow(before, shape)]);
    return all;
  }
  const below = compareValues(before, after, shape);
  if (!below) return changes;
  const changed = nodeOf(below.selfChanged, below.changed);
  const removed = nodeOf(false, below.removed);
  if (changed) all.changed.push([element, changed]);
  if (removed) all.removed.push([element, removed]);
  return all;
}

/** The node of a value that is new (or gone): it and all below it. */
function fieldsBelow(value: unknown, shape: Shape): Fields {
  const form = formOf(value, shape);
  if (form.kind === 'leaf') return leaf;
  const children: [string, Fields][] = [];
  if (form.kind === 'list') {
    for (const [element, items] of indexItems(form.value, form.list)) {
      children.push([element, items.length > 1 ? leaf : fieldsBelow(items[0], form.list.items)]);
    }
    return nodeOf(true, children) ?? leaf;
  }
  for (const key in form.value) {
    const item = asWritten(form.value, key, shape);
    if (item !== undefined) children.push([elementOfKey(shape, key), fieldsBelow(item, shapeBelow(shape, key))]);
  }
  for (const [key, zero] of zeroFields(shape)) {
    if (form.value[key] === undefined)
      children.push([elementOfKey(shape, key), fieldsBelow(zero, shapeBelow(shape, key))]);
  }
  return nodeOf(true, children) ?? leaf;
}

/** Items by element; more than one where a list that should not have them has duplicates. */
export function indexItems(items: readonly unknown[], list: ListShape): Map<string, unknown[]> {
  const index = new Map<string, unknown[]>();
  for (const item of items) {
    const element = elementOrNone(list, item);
    if (element === undefined) continue;
    const known = index.get(element);
    if (known) known.push(item);
    else index.set(element, [item]);
  }
  return index;
}

/** An item without a key has no path, so nobody can own it. */
function elementOrNone(list: ListShape, item: unknown): string | undefined {
  try {
    return elementOf(list, item);
  } catch (error) {
    if (error instanceof ElementError) return undefined;
    throw error;
  }
}

function compareItems(before: readonly unknown[], after: readonly unknown[], list: ListShape): Changes | undefined {
  if (isUnchanged(before, after)) return undefined;
  const from = indexItems(before, list);
  const to = indexItems(after, list);
  let changes: Changes | undefined;
  for (const [element, items] of to) {
    const old = from.get(element) ?? [];
    if (old.length <= 1 && items.length <= 1) changes = addChange(changes, element, old[0], items[0], list.items);
    else if (!sameJson(old, items)) changes = duplicateChange(changes, element, old, items, list);
  }
  for (const [element, old] of from) {
    if (to.has(element)) continue;
    changes ??= newChanges();
    changes.removed.push([element, old.length > 1 ? leaf : fieldsBelow(old[0], list.items)]);
  }
  return changes;
}

/** Whether two values are the same JSON, with the same lists that nobody set: most lists stay as they were. */
const isUnchanged = (before: unknown, after: unknown): boolean =>
  sameJson(before, after, (one, other) => one.length > 0 || isAbsentList(one) === isAbsentList(other));

/** Duplicates are owned together, as a leaf. */
function duplicateChange(
  changes: Changes | undefined,
  element: string,
  before: readonly unknown[],
  after: readonly unknown[],
  list: ListShape,
): Changes {
  const all = changes ?? newChanges();
  const becomesOne = after.length === 1;
  all.changed.push([element, becomesOne ? fieldsBelow(after[0], list.items) : leaf]);
  if (before.length === 1) all.removed.push([element, fieldsBelow(before[0], list.items)]);
  return all;
}
