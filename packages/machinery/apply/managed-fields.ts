import { isFieldSet, isEmptySet, noFields, unionOf, type Fields } from './fields.ts';

/** An entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  readonly manager?: string | undefined;
  readonly operation?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly time?: string | undefined;
  readonly fieldsType?: string | undefined;
  readonly fieldsV1?: Fields | undefined;
  readonly subresource?: string | undefined;
}

/** One owner and what it owns. */
export interface Owner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly set: Fields;
}

/** The owners of an object by identity. */
export type Owners = Map<string, Owner>;

/** More updaters than this are merged, the oldest first. */
const updatersMax = 10;
const ancientManager = 'ancient-changes';

/** An applier is the same whatever version it applies; an updater is another one in another version. */
export function ownerId(owner: Pick<Owner, 'manager' | 'operation' | 'apiVersion' | 'subresource'>): string {
  const version = owner.operation === 'Apply' ? '' : owner.apiVersion;
  return JSON.stringify([owner.manager, owner.operation, version, owner.subresource]);
}

/** The owners that the entries tell of; undefined where an entry is not as it must be. */
export function decodeOwners(entries: readonly ManagedFieldsEntry[]): Owners | undefined {
  const owners: Owners = new Map();
  for (const entry of entries) {
    const { operation, apiVersion, fieldsType, fieldsV1 = noFields } = entry;
    if (operation !== 'Apply' && operation !== 'Update') return undefined;
    if (!apiVersion || fieldsType !== 'FieldsV1' || !isSet(fieldsV1)) return undefined;
    const owner: Owner = {
      manager: entry.manager ?? '',
      operation,
      apiVersion,
      subresource: entry.subresource ?? '',
      time: entry.time,
      set: fieldsV1,
    };
    owners.set(ownerId(owner), owner);
  }
  return owners;
}

const knownSets = new WeakSet<Fields>();

/** Frozen ones, which are those of the versions before, are looked through once. */
function isSet(fields: Fields): boolean {
  if (knownSets.has(fields)) return true;
  if (!isFieldSet(fields)) return false;
  if (Object.isFrozen(fields)) knownSets.add(fields);
  return true;
}

/** Whether all entries of `metadata.managedFields` can be read. */
export const areManagedFields = (entries: readonly ManagedFieldsEntry[]): boolean =>
  decodeOwners(entries) !== undefined;

/** The entries of the owners, in upstream's order: by operation, time, manager, version, subresource. */
export function encodeOwners(owners: Owners): ManagedFieldsEntry[] {
  return [...owners.values()]
    .filter((owner) => !isEmptySet(owner.set))
    .sort(compareOwners)
    .map(entryOf);
}

/** In the order of the type's fields. */
function entryOf({ manager, operation, apiVersion, subresource, time, set }: Owner): ManagedFieldsEntry {
  const entry: { -readonly [K in keyof ManagedFieldsEntry]: ManagedFieldsEntry[K] } = {};
  if (manager !== '') entry.manager = manager;
  entry.operation = operation;
  entry.apiVersion = apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = set;
  if (subresource !== '') entry.subresource = subresource;
  return entry;
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function compareOwners(a: Owner, b: Owner): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? '', b.time ?? '') ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** Merges the oldest updaters of a version into one named "ancient-changes" until there are few enough. */
export function capUpdaters(owners: Owners): void {
  if (owners.size <= updatersMax) return;
  const updaters = [...owners].filter(([, owner]) => owner.operation === 'Update');
  if (updaters.length <= updatersMax) return;
  updaters.sort(([idA, a], [idB, b]) => compareText(a.time ?? '', b.time ?? '') || compareText(idA, idB));
  const firstOf = new Map<string, string>();
  const setsOf = new Map<string, Fields[]>();
  let count = updaters.length;
  for (const [id, owner] of updaters) {
    if (count <= updatersMax) break;
    const first = firstOf.get(owner.apiVersion);
    if (first === undefined) {
      firstOf.set(owner.apiVersion, id);
      continue;
    }
    const bucket: Owner = { ...owner, manager: ancientManager, subresource: '' };
    const bucketId = ownerId(bucket);
    const sets = setsOf.get(bucketId) ?? [(owners.get(bucketId) ?? owners.get(first))?.set ?? noFields];
    sets.push(owner.set);
    setsOf.set(bucketId, sets);
    owners.delete(first);
    owners.delete(id);
    owners.set(bucketId, bucket);
    firstOf.set(owner.apiVersion, bucketId);
    count -= 1;
  }
  for (const [id, sets] of setsOf) owners.set(id, { ...owners.get(id)!, set: unionOf(sets) });
}
