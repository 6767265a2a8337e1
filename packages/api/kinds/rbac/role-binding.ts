import { RoleBinding } from '../../generated/types/rbac/v1.ts';
import { pathSegment } from '../../rules/names.ts';
import { bindingDefaults, roleRef, subject, subjectCells } from '../../rules/rbac.ts';
import { each, fields, validate, validateUpdate } from '../../rules/rule.ts';
import { immutableBecause } from '../../rules/values.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const roleBinding = define(RoleBinding, {
  validateName: pathSegment,
  defaults: bindingDefaults,
  validate: validate<RoleBinding>(
    fields<RoleBinding>({ roleRef: roleRef(['ClusterRole', 'Role']), subjects: each(subject(true)) }),
  ),
  validateUpdate: validateUpdate<RoleBinding>(
    fields<RoleBinding>({ roleRef: immutableBecause('cannot change roleRef') }),
  ),
  createOnUpdate: true,
  row: (object) => [
    object.metadata.name,
    `${object.roleRef.kind}/${object.roleRef.name}`,
    age(object),
    ...subjectCells(object.subjects),
  ],
});
