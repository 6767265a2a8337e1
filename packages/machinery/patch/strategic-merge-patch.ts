import type { Shape } from '../shape.ts';
import { mergeList, orderList, type PatchMeta } from './strategic-lists.ts';
import { isPlain, setOwn, type Plain } from '../json-value.ts';
import {
  deletePrefix,
  directiveError,
  orderPrefix,
  PatchFormatError,
  withoutDirectives,
} from './strategic-directives.ts';

/**
 * Applies a strategic merge patch: lists merge by the key that the kind's fields declare, and directives ($patch,
 * $retainKeys, $setElementOrder/…, $deleteFromPrimitiveList/…) steer it. Neither argument is changed; the answer
 * may share parts with both. Throws a PatchFormatError with upstream's wording (the API answers 400).
 */
export function strategicMergePatch(doc: Plain, patch: Plain, shape: Shape): Record<string, unknown> {
  return mergeObject(doc, patch, shape);
}

/** Merges one object; `shape` is undefined where nothing is known of it. */
function mergeObject(original: Plain, patch: Plain, shape: Shape | undefined): Record<string, unknown> {
  if (Object.hasOwn(patch, '$patch')) return replaceOrDelete(patch);
  const result: Record<string, unknown> = { ...original };
  retainKeys(result, patch);
  const done = new Set(['$retainKeys']);
  for (const key of Object.keys(patch)) {
    if (key.startsWith(orderPrefix)) {
      done.add(key);
      const name = key.slice(orderPrefix.length);
      if (orderField(result, patch, name, metaOf(shape, name))) done.add(name);
    }
  }
  for (const key of Object.keys(patch)) {
    if (!done.has(key)) mergeField(result, key, patch[key], shape);
  }
  return result;
}

function replaceOrDelete(patch: Plain): Record<string, unknown> {
  const { $patch: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw directiveError(directive, patch);
}

/** "$retainKeys" names all that stays; what the patch sets must be among it. */
function retainKeys(result: Record<string, unknown>, patch: Plain): void {
  if (!Object.hasOwn(patch, '$retainKeys')) return;
  const list = patch['$retainKeys'];
  if (!Array.isArray(list)) throw new PatchFormatError('invalid patch format of retainKeys');
  const retained = new Set<unknown>(list);
  for (const key of Object.keys(patch)) {
    if (key === '$retainKeys' || patch[key] === null) continue;
    if (key.startsWith(deletePrefix) || key.startsWith(orderPrefix) || retained.has(key)) continue;
    throw new PatchFormatError('invalid patch format of retainKeys');
  }
  for (const key of Object.keys(result)) {
    if (!retained.has(key)) delete result[key];
  }
}

function mergeField(result: Record<string, unknown>, patchKey: string, value: unknown, shape: Shape | undefined): void {
  const deletes = patchKey.startsWith(deletePrefix);
  const key = deletes ? patchKey.slice(deletePrefix.length) : patchKey;
  if (value === null) {
    delete result[key];
    return;
  }
  const before = Object.hasOwn(result, key) ? result[key] : undefined;
  const meta = metaOf(shape, key);
  if (isPlain(before) && isPlain(value)) {
    setOwn(result, key, meta.strategy === 'replace' ? value : mergeObject(before, value, meta.shape));
  } else if (Array.isArray(before) && Array.isArray(value)) {
    result[key] =
      meta.strategy === 'merge' || deletes ? mergeList(before, value, meta, { deletes, mergeObject }) : value;
  } else if (!deletes) {
    const kept = withoutDirectives(value);
    if (kept === undefined) delete result[key];
    else setOwn(result, key, kept);
  }
}

/** Merges and orders the list that a "$setElementOrder/name" speaks of; false where there is no such list. */
function orderField(result: Record<string, unknown>, patch: Plain, name: string, meta: PatchMeta): boolean {
  const order = patch[`${orderPrefix}${name}`];
  const before = Object.hasOwn(result, name) ? result[name] : undefined;
  const change = Object.hasOwn(patch, name) ? patch[name] : undefined;
  if (!Array.isArray(order) || (change !== undefined && !Array.isArray(change))) {
    throw new PatchFormatError('invalid patch format of setElementOrder list');
  }
  if (!Array.isArray(before) && change === undefined) return false;
  const live = Array.isArray(before) ? before : undefined;
  result[name] = orderList(live, change as readonly unknown[] | undefined, order, meta, mergeObject);
  return true;
}

/** A list's items have the shape of the list's items; a map's values that of its values. */
function metaOf(shape: Shape | undefined, key: string): PatchMeta {
  if (shape?.type === 'map') return { shape: shape.values, strategy: '', mergeKey: '' };
  const field = shape?.type === 'object' ? shape.byName.get(key) : undefined;
  if (!field) return { shape: undefined, strategy: '', mergeKey: '' };
  const strategies = field.patchStrategy.split(',').filter((strategy) => strategy !== 'retainKeys');
  const strategy = strategies[0] === 'merge' || strategies[0] === 'replace' ? strategies[0] : '';
  return { shape: field.shape, strategy, mergeKey: field.patchMergeKey };
}
