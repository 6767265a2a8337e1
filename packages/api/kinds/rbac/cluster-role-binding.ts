import { ClusterRoleBinding } from '../../generated/types/rbac/v1.ts';
import { pathSegment } from '../../rules/names.ts';
import { bindingDefaults, roleRef, subject, subjectCells } from '../../rules/rbac.ts';
import { each, fields, validate, validateUpdate } from '../../rules/rule.ts';
import { immutableBecause } from '../../rules/values.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const clusterRoleBinding = define(ClusterRoleBinding, {
  validateName: pathSegment,
  defaults: bindingDefaults,
  validate: validate<ClusterRoleBinding>(
    fields<ClusterRoleBinding>({ roleRef: roleRef(['ClusterRole']), subjects: each(subject(false)) }),
  ),
  validateUpdate: validateUpdate<ClusterRoleBinding>(
    fields<ClusterRoleBinding>({ roleRef: immutableBecause('cannot change roleRef') }),
  ),
  createOnUpdate: true,
  row: (object) => [
    object.metadata.name,
    `${object.roleRef.kind}/${object.roleRef.name}`,
    age(object),
    ...subjectCells(object.subjects),
  ],
});
