import { setOwn, type Plain } from '../json-value.ts';
import type { Shape } from '../shape.ts';
import { elementOf } from './elements.ts';
import { isEmptySet, leaf, type Fields } from './fields.ts';
import { formOf, shapeBelow } from './forms.ts';

/**
 * The value without the set's paths. What loses all that it held becomes null, or stays as an empty object or list.
 * Unchanged parts are shared.
 */
export function removeFields(
  value: Plain,
  set: Fields,
  shape: Shape,
  emptied: 'null' | 'empty',
): Record<string, unknown> {
  return (removeFrom(value, set, shape, emptied) ?? {}) as Record<string, unknown>;
}

function removeFrom(value: unknown, set: Fields, shape: Shape, emptied: 'null' | 'empty'): unknown {
  const form = formOf(value, shape);
  if (form.kind === 'leaf') return typeof value === 'object' && value !== null ? undefined : value;
  if (form.kind === 'list') {
    const kept: unknown[] = [];
    for (const item of form.value) {
      const node = childOf(set, elementOf(form.list, item));
      if (!node) kept.push(item);
      else if (!isRemoved(node)) kept.push(removeFrom(item, node, form.list.items, emptied));
    }
    return kept.length > 0 || emptied === 'empty' ? kept : undefined;
  }
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(form.value)) {
    const item = form.value[key];
    const node = childOf(set, `f:${key}`);
    if (item === undefined || (node && isRemoved(node))) continue;
    const left = node ? removeFrom(item, node, shapeBelow(shape, key), emptied) : item;
    setOwn(kept, key, left ?? null);
  }
  return Object.keys(kept).length > 0 || emptied === 'empty' ? kept : undefined;
}

const childOf = (set: Fields, element: string) => (Object.hasOwn(set, element) ? set[element] : undefined);
const isRemoved = (node: Fields) => node === leaf || '.' in node || isEmptySet(node);
