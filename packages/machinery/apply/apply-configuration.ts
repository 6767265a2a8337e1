import { isPlain, sameJson, type Plain } from '../json-value.ts';
import type { Shape } from '../shape.ts';
import { compareObjects } from './compare.ts';
import { checkConfiguration, fieldSetOf, withDeclaredFields } from './field-set.ts';
import { difference, intersection, isEmptySet, noFields, recursiveDifference, union, type Fields } from './fields.ts';
import {
  decodeOwners,
  encodeOwners,
  ownerId,
  type ManagedFieldsEntry,
  type Owner,
  type Owners,
} from './managed-fields.ts';
import { mergeConfiguration } from './merge.ts';
import { findConflicts, strippedFields, takeFromOthers, withoutReset, type ApplyConflict } from './ownership.ts';
import { removeFields } from './remove.ts';
import { trackUpdate } from './track-update.ts';

export interface ApplyConfiguration {
  /** The object as it is stored; undefined where it does not exist. */
  readonly live: Plain | undefined;
  /** What the client wants to own, with these values. */
  readonly applied: Plain;
  readonly shape: Shape;
  readonly manager: string;
  readonly apiVersion: string;
  /** RFC 3339 in seconds. */
  readonly nowTime: string;
  /** Take over what others own. */
  readonly force?: boolean | undefined;
  readonly subresource?: string | undefined;
  /** What this endpoint resets and so nobody comes to own here. */
  readonly resetFields?: Fields | undefined;
}

export interface Applied {
  /** The merged object, with `metadata.managedFields`; where there are conflicts, not to be stored. */
  readonly object: Record<string, unknown>;
  /** Empty with `force`. */
  readonly conflicts: readonly ApplyConflict[];
}

/**
 * Server-side apply (KEP-555): merges a configuration into the live object, takes away what its manager set before and
 * no longer sets (unless others own it), and says who owns what. Applying the same twice changes nothing, not even the
 * time. Throws an ApplyError with upstream's wording where the configuration does not fit the shape.
 */
export function applyConfiguration(options: ApplyConfiguration): Applied {
  const { applied, shape, manager, apiVersion, subresource = '', resetFields, force = false } = options;
  checkConfiguration(applied, shape);
  const live = withoutManagedFields(options.live ?? { metadata: {} });
  const owners = ownersBefore(options);
  const identity = { manager: manager || 'unknown', operation: 'Apply' as const, apiVersion, subresource };
  const self = ownerId(identity);
  const last = owners.get(self);
  const set = recursiveDifference(fieldSetOf(applied, shape), resetFields ?? noFields);
  owners.set(self, { ...identity, time: last?.time, set });

  const merged = mergeConfiguration(live, applied, shape);
  const givesUp = last && !isEmptySet(difference(last.set, set));
  const object = givesUp ? prune(merged, owners, last.set, shape) : merged;
  const comparison = withoutReset(compareObjects(live, object, shape), resetFields);
  const conflicts = force ? [] : findConflicts(owners, self, comparison.changed);
  takeFromOthers(owners, self, comparison);
  finishOwner(owners, self, options.live && sameJson(live, object) ? undefined : options.nowTime);
  return { object: withManagedFields(object, encodeOwners(owners)), conflicts };
}

function finishOwner(owners: Owners, self: string, time: string | undefined): void {
  const owner = owners.get(self);
  if (!owner) return;
  const set = difference(owner.set, strippedFields);
  if (isEmptySet(set)) owners.delete(self);
  else owners.set(self, { ...owner, set, time: time ?? owner.time });
}

/** Whoever made what is there before the first apply is one updater, "before-first-apply". */
function ownersBefore({ live, shape, apiVersion, nowTime, subresource, resetFields }: ApplyConfiguration): Owners {
  const owners = decodeOwners(entriesOf(live)) ?? new Map<string, Owner>();
  if (owners.size > 0 || !live) return owners;
  const entries = trackUpdate({
    live: undefined,
    updated: withoutManagedFields(live),
    shape,
    manager: 'before-first-apply',
    apiVersion,
    nowTime,
    subresource,
    resetFields,
  });
  return decodeOwners(entries ?? []) ?? owners;
}

/** Removes what the manager owned and no longer sets, except what anybody else owns and what it never owned. */
function prune(merged: Plain, owners: Owners, lastSet: Fields, shape: Shape): Record<string, unknown> {
  const last = withDeclaredFields(lastSet, shape);
  const setOf = (object: Plain) => withDeclaredFields(fieldSetOf(object, shape), shape);
  const all = setOf(merged);
  let owned: Fields = noFields;
  for (const owner of owners.values()) owned = union(owned, owner.set);
  const candidate = removeFields(merged, last, shape, 'null');
  const kept = union(setOf(candidate), withDeclaredFields(owned, shape));
  const pruned = removeFields(merged, difference(all, kept), shape, 'null');
  const gone = intersection(difference(all, setOf(pruned)), last);
  return isEmptySet(gone) ? (merged as Record<string, unknown>) : removeFields(merged, gone, shape, 'empty');
}

function entriesOf(object: Plain | undefined): readonly ManagedFieldsEntry[] {
  const metadata = object?.['metadata'];
  const entries = isPlain(metadata) ? metadata['managedFields'] : undefined;
  return Array.isArray(entries) ? (entries as readonly ManagedFieldsEntry[]) : [];
}

function withoutManagedFields(object: Plain): Plain {
  const { metadata } = object;
  if (!isPlain(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

function withManagedFields(object: Plain, entries: readonly ManagedFieldsEntry[]): Record<string, unknown> {
  const metadata = isPlain(object['metadata']) ? object['metadata'] : {};
  return { ...object, metadata: entries.length > 0 ? { ...metadata, managedFields: entries } : metadata };
}
