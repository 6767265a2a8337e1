// Generated from the facts by packages/api/generate; never edited.
import { kind } from '../../../kind.ts';
import type * as types from './v1.types.ts';
export type * from './v1.types.ts';

export type MutatingAdmissionPolicy = types.MutatingAdmissionPolicy;
export const MutatingAdmissionPolicy = kind<MutatingAdmissionPolicy>({"group":"admissionregistration.k8s.io","version":"v1","kind":"MutatingAdmissionPolicy","plural":"mutatingadmissionpolicies","namespaced":false});
export type MutatingAdmissionPolicyBinding = types.MutatingAdmissionPolicyBinding;
export const MutatingAdmissionPolicyBinding = kind<MutatingAdmissionPolicyBinding>({"group":"admissionregistration.k8s.io","version":"v1","kind":"MutatingAdmissionPolicyBinding","plural":"mutatingadmissionpolicybindings","namespaced":false});
export type MutatingWebhookConfiguration = types.MutatingWebhookConfiguration;
export const MutatingWebhookConfiguration = kind<MutatingWebhookConfiguration>({"group":"admissionregistration.k8s.io","version":"v1","kind":"MutatingWebhookConfiguration","plural":"mutatingwebhookconfigurations","namespaced":false});
export type ValidatingAdmissionPolicy = types.ValidatingAdmissionPolicy;
export const ValidatingAdmissionPolicy = kind<ValidatingAdmissionPolicy>({"group":"admissionregistration.k8s.io","version":"v1","kind":"ValidatingAdmissionPolicy","plural":"validatingadmissionpolicies","namespaced":false});
export type ValidatingAdmissionPolicyBinding = types.ValidatingAdmissionPolicyBinding;
export const ValidatingAdmissionPolicyBinding = kind<ValidatingAdmissionPolicyBinding>({"group":"admissionregistration.k8s.io","version":"v1","kind":"ValidatingAdmissionPolicyBinding","plural":"validatingadmissionpolicybindings","namespaced":false});
export type ValidatingWebhookConfiguration = types.ValidatingWebhookConfiguration;
export const ValidatingWebhookConfiguration = kind<ValidatingWebhookConfiguration>({"group":"admissionregistration.k8s.io","version":"v1","kind":"ValidatingWebhookConfiguration","plural":"validatingwebhookconfigurations","namespaced":false});
