import { difference, intersection, isEmptySet, leaf, type Fields } from './fields.ts';
import {
  decodeOwners,
  encodeOwners,
  ownerId,
  type ManagedFieldsEntry,
  type Owner,
  type Owners,
} from './managed-fields.ts';

/** A `scale` is seen as an object of its own, whose one field is a field of its parent. */
export interface ScaleOwners {
  /** The parent's. */
  readonly entries: readonly ManagedFieldsEntry[];
  /** Where the parent has its replicas: `spec.replicas`. */
  readonly replicasPath: string;
}

const scaleVersion = 'autoscaling/v1';
const scaleReplicas: Fields = { 'f:spec': { 'f:replicas': leaf } };

/** Who owns the replicas, as entries of the Scale (KEP-555, scale subresource). */
export function ownersOfScale({ entries, replicasPath }: ScaleOwners): ManagedFieldsEntry[] {
  const path = fieldsOf(replicasPath);
  const owners: Owners = new Map();
  for (const owner of decodeOwners(entries)?.values() ?? []) {
    if (!has(owner, path)) continue;
    const scaled = { ...owner, apiVersion: scaleVersion, set: scaleReplicas };
    owners.set(ownerId(scaled), scaled);
  }
  return encodeOwners(owners);
}

/**
 * The parent's entries after its Scale came to have these: whoever lost the replicas there loses them here, and who is
 * new there is new here, in the parent's version and without a time.
 */
export function ownersOfParent(
  { entries, replicasPath }: ScaleOwners,
  scaleEntries: readonly ManagedFieldsEntry[],
  apiVersion: string,
): ManagedFieldsEntry[] {
  const path = fieldsOf(replicasPath);
  const scaled = new Map<string, Owner>();
  for (const owner of decodeOwners(scaleEntries)?.values() ?? []) scaled.set(scaleId(owner), owner);
  const owners: Owners = new Map();
  for (const [id, owner] of decodeOwners(entries) ?? new Map<string, Owner>()) {
    if (!has(owner, path) || scaled.delete(scaleId(owner))) {
      owners.set(id, owner);
      continue;
    }
    const set = difference(owner.set, path);
    if (!isEmptySet(set)) owners.set(id, { ...owner, set });
  }
  for (const owner of scaled.values()) {
    if (!has(owner, scaleReplicas)) continue;
    const added = { ...owner, apiVersion, set: path, time: undefined };
    owners.set(ownerId(added), added);
  }
  return encodeOwners(owners);
}

const has = ({ set }: Owner, path: Fields) => !isEmptySet(intersection(set, path));

/** The same owner in whichever of the two versions. */
const scaleId = (owner: Owner) => ownerId({ ...owner, apiVersion: scaleVersion });

function fieldsOf(path: string): Fields {
  return path
    .split('.')
    .filter((segment) => segment !== '')
    .reduceRight<Fields>((below, segment) => ({ [`f:${segment}`]: below }), leaf);
}
