import type { ObjectMeta } from '../../generated/types/meta/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden } from '../cause.ts';
import { annotations, labels } from '../metadata.ts';
import { isEmpty } from '../values.ts';

/** Metadata of a template for claims: labels and annotations, and nothing that only a made object has. */
export function templateMetadata(metadata: ObjectMeta, path: string): readonly FieldCause[] {
  const { annotations: notes, labels: marks, ...rest } = metadata;
  const found: FieldCause[] = [];
  if (notes) found.push(...annotations(notes, `${path}.annotations`));
  if (marks) found.push(...labels(marks, `${path}.labels`));
  for (const [name, value] of Object.entries(rest)) {
    // Of empty lists only this one is still there.
    if (name !== 'managedFields' && (isEmpty(value) || value === 0)) continue;
    // Upstream makes the name of the Go field's own.
    found.push(forbidden(`${path}.${name === 'uid' ? 'uID' : name}`, 'cannot be set'));
  }
  return found;
}
