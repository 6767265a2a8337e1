import { MutatingAdmissionPolicyBinding } from '../../generated/types/admissionregistration/v1.ts';
import { MutatingAdmissionPolicyBinding as MutatingAdmissionPolicyBindingv1beta1 } from '../../generated/types/admissionregistration/v1beta1.ts';
import { MutatingAdmissionPolicyBinding as MutatingAdmissionPolicyBindingv1alpha1 } from '../../generated/types/admissionregistration/v1alpha1.ts';
import { defineVersions } from '../define.ts';

export const mutatingAdmissionPolicyBinding = defineVersions([
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicyBindingv1beta1,
  MutatingAdmissionPolicyBindingv1alpha1,
]);
