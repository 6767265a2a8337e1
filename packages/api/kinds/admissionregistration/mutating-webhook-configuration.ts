import { MutatingWebhookConfiguration } from '../../generated/types/admissionregistration/v1.ts';
import { define } from '../define.ts';

export const mutatingWebhookConfiguration = define(MutatingWebhookConfiguration);
