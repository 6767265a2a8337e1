import { qualifiedName } from '@kubernode/machinery';
import { Namespace } from '../../generated/types/core/v1.ts';
import { invalid } from '../../rules/cause.ts';
import { labelName } from '../../rules/names.ts';
import { at, each, type Rule, validate } from '../../rules/rule.ts';
import type { FieldCause } from '../../status-error.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

const nameLabel = 'kubernetes.io/metadata.name';

/** As metadata's finalizers; all causes are at the list. */
const finalizer: Rule<string> = (name, path) => {
  const list = path.replace(/\[\d+\]$/, '');
  const found = qualifiedName(name).map((detail) => invalid(list, name, detail));
  if (name === 'kubernetes' || name.includes('/')) return found;
  return [...found, invalid(list, name, 'name is neither a standard finalizer name nor is it fully qualified')];
};

/** As `finalizer`; causes are at the item. */
const finalizerInPlace: Rule<string> = (name, path) =>
  finalizer(name, path).map((cause) => ({ ...cause, field: path }));

/** It is deletion that decides the phase. Upstream spells the field like this. */
function phase({ metadata, status }: Namespace): readonly FieldCause[] {
  const expected = metadata.deletionTimestamp ? 'Terminating' : 'Active';
  if (status.phase === expected) return [];
  const when = metadata.deletionTimestamp ? 'is not empty' : 'is empty';
  return [invalid('status.Phase', status.phase, `may only be '${expected}' if \`deletionTimestamp\` ${when}`)];
}

export const namespace = define(Namespace, {
  validateName: labelName,
  defaults({ metadata, status }) {
    if (metadata.name) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
    status.phase ||= 'Active';
  },
  prepareForCreate({ metadata, spec, status }) {
    if (metadata.name) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
    status.phase = 'Active';
    spec.finalizers = [...new Set([...(spec.finalizers ?? []), 'kubernetes'])] as typeof spec.finalizers;
  },
  /** Only the finalize subresource takes a finalizer away. */
  prepareForUpdate({ spec }, old) {
    spec.finalizers = old.spec.finalizers;
  },
  validateStatusUpdate: phase,
  subresources: {
    /** Who finalizes a namespace says so in `spec.finalizers`. */
    finalize: {
      prepare: (object, old) => ({ ...object, status: old.status }),
      validate: (object) => each(finalizerInPlace)(object.spec.finalizers ?? [], 'spec.finalizers'),
    },
  },
  validate: validate<Namespace>(at('spec.finalizers', each(finalizer))),
  selectableFields: { 'status.phase': ({ status }) => status.phase ?? '' },
  generation: 'none',
  row: (object) => [object.metadata.name, object.status.phase ?? '', age(object)],
});
