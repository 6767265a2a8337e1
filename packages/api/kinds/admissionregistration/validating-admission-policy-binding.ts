import { ValidatingAdmissionPolicyBinding } from '../../generated/types/admissionregistration/v1.ts';
import { define } from '../define.ts';

export const validatingAdmissionPolicyBinding = define(ValidatingAdmissionPolicyBinding);
