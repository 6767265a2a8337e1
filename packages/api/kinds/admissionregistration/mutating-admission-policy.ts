import { MutatingAdmissionPolicy } from '../../generated/types/admissionregistration/v1.ts';
import { MutatingAdmissionPolicy as MutatingAdmissionPolicyv1beta1 } from '../../generated/types/admissionregistration/v1beta1.ts';
import { MutatingAdmissionPolicy as MutatingAdmissionPolicyv1alpha1 } from '../../generated/types/admissionregistration/v1alpha1.ts';
import { defineVersions } from '../define.ts';

export const mutatingAdmissionPolicy = defineVersions([
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyv1beta1,
  MutatingAdmissionPolicyv1alpha1,
]);
