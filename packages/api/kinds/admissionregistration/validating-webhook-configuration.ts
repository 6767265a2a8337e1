import { ValidatingWebhookConfiguration } from '../../generated/types/admissionregistration/v1.ts';
import { fields, validate } from '../../rules/rule.ts';
import { webhooks } from '../../rules/webhook-rules.ts';
import { webhookDefaults } from '../../rules/webhooks.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const validatingWebhookConfiguration = define(ValidatingWebhookConfiguration, {
  defaults: ({ webhooks }) => webhooks?.forEach(webhookDefaults),
  validate: validate<ValidatingWebhookConfiguration>(fields<ValidatingWebhookConfiguration>({ webhooks })),
  generation: 'all',
  unconditionalUpdate: false,
  row: (object, nowMs) => [object.metadata.name, (object.webhooks ?? []).length, age(object, nowMs)],
});
