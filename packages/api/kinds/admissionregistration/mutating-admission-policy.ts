import { MutatingAdmissionPolicy } from '../../generated/types/admissionregistration/v1.ts';
import { MutatingAdmissionPolicy as MutatingAdmissionPolicyv1beta1 } from '../../generated/types/admissionregistration/v1beta1.ts';
import { MutatingAdmissionPolicy as MutatingAdmissionPolicyv1alpha1 } from '../../generated/types/admissionregistration/v1alpha1.ts';
import { staticName, staticNameWarnings } from '../../rules/admission/static-names.ts';
import { mutatingPolicy } from '../../rules/admission/mutating-policy.ts';
import { kindCell, matchDefaults } from '../../rules/webhooks.ts';
import { age } from '../cells.ts';
import { defineVersions } from '../define.ts';

export const mutatingAdmissionPolicy = defineVersions(
  [MutatingAdmissionPolicy, MutatingAdmissionPolicyv1beta1, MutatingAdmissionPolicyv1alpha1],
  {
    defaults({ spec }) {
      spec.failurePolicy ??= 'Fail';
      if (spec.matchConstraints) matchDefaults(spec.matchConstraints);
    },
    validateCreate: (policy) => [...mutatingPolicy(policy), ...staticName(policy.metadata.name ?? '')],
    validateUpdate: mutatingPolicy,
    warnings: ({ metadata }, old) => (old ? staticNameWarnings(metadata.name ?? '') : []),
    generation: 'spec',
    unconditionalUpdate: false,
    rechecksName: true,
    row: (object) => [
      object.metadata.name,
      (object.spec.mutations ?? []).length,
      kindCell(object.spec.paramKind),
      age(object),
    ],
  },
);
