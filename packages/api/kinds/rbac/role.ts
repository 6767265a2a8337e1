import { Role } from '../../generated/types/rbac/v1.ts';
import { pathSegment } from '../../rules/names.ts';
import { policyRule } from '../../rules/rbac.ts';
import { each, fields, validate } from '../../rules/rule.ts';
import { define } from '../define.ts';

export const role = define(Role, {
  validateName: pathSegment,
  validate: validate<Role>(fields<Role>({ rules: each(policyRule(true)) })),
  createOnUpdate: true,
  row: ({ metadata }) => [metadata.name, metadata.creationTimestamp],
});
