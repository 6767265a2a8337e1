import { isPlain, sameJson, type Plain } from '../json-value.ts';
import type { Shape } from '../shape.ts';
import { compareObjects } from './compare.ts';
import { fieldsOfNew } from './fields-of-new.ts';
import { difference, isEmptySet, noFields, union, type Fields } from './fields.ts';
import {
  capUpdaters,
  decodeOwners,
  encodeOwners,
  ownerId,
  type ManagedFieldsEntry,
  type Owner,
  type Owners,
} from './managed-fields.ts';
import { strippedFields, takeFromOthers, withoutReset } from './ownership.ts';

export interface TrackUpdate {
  /** What a new object is before anybody sets its fields: those that are never left out, as null. Default: nothing. */
  readonly blank?: Plain | undefined;
  /** The object as it is stored; undefined for a create. */
  readonly live: Plain | undefined;
  /** The object as it will be stored, but for managedFields. */
  readonly updated: Plain;
  readonly shape: Shape;
  /** '' becomes "unknown". */
  readonly manager: string;
  readonly apiVersion: string;
  /** RFC 3339 in seconds. */
  readonly nowTime: string;
  /** 'status', 'scale', …; '' or undefined for the object itself. */
  readonly subresource?: string | undefined;
  /** What this endpoint resets and so nobody comes to own here. */
  readonly resetFields?: Fields | undefined;
}

/**
 * The `metadata.managedFields` of an object after a create, update or (other than apply) patch: whoever writes comes to
 * own what changed. Answers the live list itself where nothing changes hands, undefined where nothing is tracked.
 */
export function trackUpdate(options: TrackUpdate): readonly ManagedFieldsEntry[] | undefined {
  const { live, updated, shape, subresource = '' } = options;
  const liveEntries = entriesOf(live);
  const entries = entriesBefore(liveEntries, entriesOf(updated), subresource);
  if (entries.length === 0 && live !== undefined) return undefined;
  const before = live ?? options.blank;
  if (!before && entries.length === 0) {
    const set = fieldsOfNew(updated, shape, options.resetFields);
    if (isEmptySet(set)) return undefined;
    return encodeOwners(new Map([['', { ...ownerOf(options), time: options.nowTime, set }]]));
  }
  const comparison = withoutReset(compareObjects(before ?? noObject, updated, shape), options.resetFields);
  const changed = difference(comparison.changed, strippedFields);
  const removed = difference(comparison.removed, strippedFields);
  if (isEmptySet(changed) && isEmptySet(removed) && entries === liveEntries) return entries;
  const owners: Owners = decodeOwners(entries) ?? new Map<string, Owner>();
  const owner = ownerOf(options);
  takeFromOthers(owners, ownerId(owner), { changed, removed });
  changeOwn(owners, { ...owner, time: options.nowTime, set: changed }, removed);
  capUpdaters(owners);
  const encoded = encodeOwners(owners);
  if (encoded.length === 0) return undefined;
  return entries === liveEntries && sameEntries(encoded, entries) ? entries : encoded;
}

const noObject: Plain = {};

/** `gaining`: whoever writes, with what it changed. Its set stays the same one where that is nothing new to it. */
function changeOwn(owners: Owners, gaining: Owner, removed: Fields): void {
  const id = ownerId(gaining);
  const previous = owners.get(id);
  const kept = difference(previous?.set ?? noFields, removed);
  const set = isEmptySet(difference(gaining.set, kept)) ? kept : union(gaining.set, kept);
  if (isEmptySet(set)) owners.delete(id);
  else owners.set(id, { ...(previous && isEmptySet(gaining.set) ? previous : gaining), set });
}

/** Whoever writes. */
const ownerOf = ({ manager, apiVersion, subresource = '' }: TrackUpdate) => ({
  manager: manager || 'unknown',
  operation: 'Update' as const,
  apiVersion,
  subresource,
});

function entriesOf(object: Plain | undefined): readonly ManagedFieldsEntry[] | undefined {
  const metadata = object?.['metadata'];
  const entries = isPlain(metadata) ? metadata['managedFields'] : undefined;
  return Array.isArray(entries) ? (entries as readonly ManagedFieldsEntry[]) : undefined;
}

/** A client may set the entries, or reset them by an empty list; what it may not is lose them by leaving them out. */
function entriesBefore(
  live: readonly ManagedFieldsEntry[] | undefined,
  updated: readonly ManagedFieldsEntry[] | undefined,
  subresource: string,
): readonly ManagedFieldsEntry[] {
  const known = live ?? [];
  if (subresource !== '' || updated === undefined || sameJson(updated, live)) return known;
  if (updated.length === 0 || (updated.length === 1 && Object.keys(updated[0] ?? {}).length === 0)) return [];
  return decodeOwners(updated) ? updated : known;
}

/** Whether the same owners own the same, entry by entry; sets that did not change are the same object. */
function sameEntries(a: readonly ManagedFieldsEntry[], b: readonly ManagedFieldsEntry[]): boolean {
  return (
    a.length === b.length &&
    a.every((entry, index) => {
      const other = b[index];
      return entry.fieldsV1 === other?.fieldsV1 && entry.time === other?.time && entry.manager === other?.manager;
    })
  );
}
