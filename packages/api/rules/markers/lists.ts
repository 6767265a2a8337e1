import type { FieldCause } from '../../status-error.ts';
import { duplicate, forbidden, invalid } from '../cause.ts';
import { foundIn } from '../rule.ts';
import { deepEqual } from '@kubernode/machinery';
import { type Check, type Form, type Place, isSet, nothing } from './check.ts';
import type { Marker } from './marker.ts';

/** What tells items of a list from each other; undefined: nothing does, each is new. */
export type Identity = ((item: unknown) => string) | undefined;

/** As the markers say: the whole item in a set, some of its fields in a map. */
export function identityOf(markers: readonly Marker[]): Identity {
  const has = (kind: string) =>
    markers.some(({ name, argument }) => (name === 'listType' || name === 'unique') && argument === kind);
  if (has('set')) return (item) => JSON.stringify(item);
  if (!has('map')) return undefined;
  const keys = markers.flatMap(({ name, argument }) => (name === 'listMapKey' ? [argument] : []));
  return (item) => JSON.stringify(keys.map((key) => (item as Record<string, unknown>)[key] ?? ''));
}

/** No item twice. */
export function uniqueCheck(identity: NonNullable<Identity>): Check {
  return ({ value, path }) => {
    const seen = new Set<string>();
    return foundIn(value as readonly unknown[], (item, index) => {
      const key = identity(item);
      if (seen.has(key)) return [duplicate(`${path}[${index}]`, item)];
      seen.add(key);
      return nothing;
    });
  };
}

/** The check of each item; an item is compared with the old one that it is, and left alone if they are the same. */
export function eachItem(check: Check, identity: Identity): Check {
  return ({ value, old, path }, operation) => {
    const before = new Map<string, unknown>();
    if (identity && Array.isArray(old)) for (const item of old as readonly unknown[]) before.set(identity(item), item);
    return foundIn(value as readonly unknown[], (item, index) => {
      const key = identity?.(item) ?? '';
      const isCorrelated = before.has(key);
      const former = before.get(key);
      if (operation.isUpdate && isCorrelated && deepEqual(item, former)) return nothing;
      return check({ value: item, old: former, path: `${path}[${index}]`, isCorrelated }, operation);
    });
  };
}

/** What an update may not do: `NoSet`, `NoUnset`, `NoModify`, `NoAddItem`, `NoRemoveItem`. */
export function updateCheck(constraint: string, form: Form, identity: Identity): Check {
  return (place, { isUpdate }) => {
    if (!isUpdate || (form === 'value' && !place.isCorrelated)) return nothing;
    const { value, old, path } = place;
    const [is, was] = [isSet(value, form), isSet(old, form)];
    if (constraint === 'NoSet' && !was && is) return [invalid(path, null, 'field cannot be set once created')];
    if (constraint === 'NoUnset' && was && !is) return [invalid(path, null, 'field cannot be cleared once set')];
    if (constraint === 'NoModify' && was && is) return [invalid(path, null, 'field cannot be modified once set')];
    return constraint.endsWith('Item') && identity ? itemCauses(constraint, place, identity) : nothing;
  };
}

function itemCauses(constraint: string, { value, old, path }: Place, identity: NonNullable<Identity>): FieldCause[] {
  const items = (value ?? []) as readonly unknown[];
  const former = (old ?? []) as readonly unknown[];
  const known = new Set((constraint === 'NoAddItem' ? former : items).map(identity));
  if (constraint === 'NoRemoveItem') {
    const repeats = former.filter((item) => !known.has(identity(item))).length;
    return repeats > 0 ? [{ ...forbidden(path, 'item may not be removed'), repeats }] : [];
  }
  return items.flatMap((item, index) =>
    known.has(identity(item)) ? [] : [forbidden(`${path}[${index}]`, 'item may not be added')],
  );
}
