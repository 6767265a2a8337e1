// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1alpha1.types.ts';
export type * from './v1alpha1.types.ts';

export type MutatingAdmissionPolicy = types.MutatingAdmissionPolicy;
export const MutatingAdmissionPolicy = kind<MutatingAdmissionPolicy>({"group":"admissionregistration.k8s.io","version":"v1alpha1","kind":"MutatingAdmissionPolicy","plural":"mutatingadmissionpolicies","namespaced":false});
export type MutatingAdmissionPolicyBinding = types.MutatingAdmissionPolicyBinding;
export const MutatingAdmissionPolicyBinding = kind<MutatingAdmissionPolicyBinding>({"group":"admissionregistration.k8s.io","version":"v1alpha1","kind":"MutatingAdmissionPolicyBinding","plural":"mutatingadmissionpolicybindings","namespaced":false});
