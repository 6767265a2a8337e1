import { MutatingWebhookConfiguration } from '../../generated/types/admissionregistration/v1.ts';
import { webhookDefaults } from '../../rules/webhooks.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const mutatingWebhookConfiguration = define(MutatingWebhookConfiguration, {
  defaults: ({ webhooks }) => webhooks?.forEach(webhookDefaults),
  generation: 'spec',
  row: (object, nowMs) => [object.metadata.name, (object.webhooks ?? []).length, age(object, nowMs)],
});
