import { MutatingAdmissionPolicyBinding } from '../../generated/types/admissionregistration/v1.ts';
import { MutatingAdmissionPolicyBinding as BetaBinding } from '../../generated/types/admissionregistration/v1beta1.ts';
import { MutatingAdmissionPolicyBinding as AlphaBinding } from '../../generated/types/admissionregistration/v1alpha1.ts';
import { mutatingBinding } from '../../rules/admission/bindings.ts';
import { staticName, staticNameWarnings } from '../../rules/admission/static-names.ts';
import { matchDefaults, parameterCell } from '../../rules/webhooks.ts';
import { age } from '../cells.ts';
import { defineVersions } from '../define.ts';

export const mutatingAdmissionPolicyBinding = defineVersions(
  [MutatingAdmissionPolicyBinding, BetaBinding, AlphaBinding],
  {
    defaults({ apiVersion, spec }) {
      if (spec.paramRef && apiVersion === AlphaBinding.apiVersion) spec.paramRef.parameterNotFoundAction ??= 'Deny';
      if (spec.matchResources) matchDefaults(spec.matchResources);
    },
    validate: ({ spec }) => mutatingBinding(spec),
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
  },
);
