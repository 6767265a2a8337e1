import { ValidatingAdmissionPolicyBinding } from '../../generated/types/admissionregistration/v1.ts';
import { validatingBinding } from '../../rules/admission/bindings.ts';
import { staticName, staticNameWarnings } from '../../rules/admission/static-names.ts';
import { matchDefaults, parameterCell } from '../../rules/webhooks.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const validatingAdmissionPolicyBinding = define(ValidatingAdmissionPolicyBinding, {
  defaults({ spec }) {
    if (spec.matchResources) matchDefaults(spec.matchResources);
  },
  validate: ({ spec }) => validatingBinding(spec),
  validateCreate: ({ metadata }) => staticName(metadata.name ?? ''),
  warnings: ({ metadata }, old) => (old ? staticNameWarnings(metadata.name ?? '') : []),
  generation: 'spec',
  unconditionalUpdate: false,
  rechecksName: true,
  row: (object) => [
    object.metadata.name,
    object.spec.policyName ?? '',
    parameterCell(object.spec.paramRef),
    age(object),
  ],
});
