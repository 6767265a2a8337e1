import type { Comparison } from './compare.ts';
import { difference, formatPaths, intersection, isEmptySet, recursiveDifference, type Fields } from './fields.ts';
import type { Owner, Owners } from './managed-fields.ts';

/** What nobody owns: the server's part of metadata, and what names the object. */
export const strippedFields: Fields = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    'f:clusterName': {},
    'f:creationTimestamp': {},
    'f:generation': {},
    'f:managedFields': {},
    'f:name': {},
    'f:namespace': {},
    'f:resourceVersion': {},
    'f:selfLink': {},
    'f:uid': {},
  },
};

/** One field that somebody else owns with another value. */
export interface ApplyConflict {
  /** `conflict with "kubectl" using v1` */
  readonly message: string;
  /** `.spec.containers[name="a"].image` */
  readonly field: string;
}

/** What others own of the paths that change. */
export function findConflicts(owners: Owners, self: string, changed: Fields): ApplyConflict[] {
  const conflicts: { readonly owner: string; readonly field: string }[] = [];
  for (const [id, owner] of owners) {
    if (id === self) continue;
    for (const field of formatPaths(intersection(owner.set, changed))) {
      conflicts.push({ owner: formatOwner(owner), field });
    }
  }
  conflicts.sort((a, b) => (a.owner < b.owner ? -1 : a.owner > b.owner ? 1 : 0));
  return conflicts.map(({ owner, field }) => ({ message: `conflict with ${owner}`, field }));
}

/** The message of the API's answer to conflicts (409, reason Conflict, causes FieldManagerConflict). */
export function conflictMessage(conflicts: readonly ApplyConflict[]): string {
  const [only] = conflicts;
  if (only && conflicts.length === 1) return `Apply failed with 1 conflict: ${only.message}: ${only.field}`;
  const lines: string[] = [];
  let message = '';
  for (const conflict of conflicts) {
    if (conflict.message !== message) lines.push(`${conflict.message.replace('conflict', 'conflicts')}:`);
    message = conflict.message;
    lines.push(`- ${conflict.field}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function formatOwner({ manager, operation, apiVersion, subresource }: Owner): string {
  const name = JSON.stringify(manager) + (subresource ? ` with subresource ${JSON.stringify(subresource)}` : '');
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}

/** Takes what changed or went away from everybody but `self`; owners of nothing go. */
export function takeFromOthers(owners: Owners, self: string | undefined, { changed, removed }: Comparison): void {
  for (const [id, owner] of owners) {
    const taken = id === self ? owner.set : difference(owner.set, changed);
    const set = id === self ? taken : difference(taken, removed);
    if (isEmptySet(set)) owners.delete(id);
    else if (set !== owner.set) owners.set(id, { ...owner, set });
  }
}

/** A comparison without the fields that this endpoint resets ({ 'f:status': {} } outside of /status). */
export function withoutReset(comparison: Comparison, resetFields: Fields | undefined): Comparison {
  if (!resetFields) return comparison;
  return {
    changed: recursiveDifference(comparison.changed, resetFields),
    removed: recursiveDifference(comparison.removed, resetFields),
  };
}
