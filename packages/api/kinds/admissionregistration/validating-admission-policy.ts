import { ValidatingAdmissionPolicy } from '../../generated/types/admissionregistration/v1.ts';
import { staticName, staticNameWarnings } from '../../rules/admission/static-names.ts';
import { validatingPolicy, validatingPolicyStatus } from '../../rules/admission/validating-policy.ts';
import { kindCell, matchDefaults } from '../../rules/webhooks.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const validatingAdmissionPolicy = define(ValidatingAdmissionPolicy, {
  defaults({ spec }) {
    spec.failurePolicy ??= 'Fail';
    if (spec.matchConstraints) matchDefaults(spec.matchConstraints);
  },
  validateCreate: (policy) => [...validatingPolicy(policy), ...staticName(policy.metadata.name ?? '')],
  validateUpdate: validatingPolicy,
  validateStatusUpdate: (policy) => validatingPolicyStatus(policy),
  warnings: ({ metadata }, old) => (old ? staticNameWarnings(metadata.name ?? '') : []),
  generation: 'spec',
  unconditionalUpdate: false,
  rechecksName: true,
  row: (object) => [
    object.metadata.name,
    (object.spec.validations ?? []).length,
    kindCell(object.spec.paramKind),
    age(object),
  ],
});
