import { ValidatingWebhookConfiguration } from '../../generated/types/admissionregistration/v1.ts';
import { staticName, staticNameWarnings } from '../../rules/admission/static-names.ts';
import { webhooks, webhookWarnings } from '../../rules/admission/webhooks.ts';
import { webhookDefaults } from '../../rules/webhooks.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const validatingWebhookConfiguration = define(ValidatingWebhookConfiguration, {
  defaults: (object) => object.webhooks?.forEach(webhookDefaults),
  validateCreate: (object) => [...webhooks(object.webhooks), ...staticName(object.metadata.name ?? '')],
  validateUpdate: (object, old) => webhooks(object.webhooks, old.webhooks ?? []),
  warnings: ({ metadata, webhooks: list }, old) => [
    ...(old ? staticNameWarnings(metadata.name ?? '') : []),
    ...webhookWarnings(list),
  ],
  generation: 'all-to-the-letter',
  unconditionalUpdate: false,
  rechecksName: true,
  row: (object) => [object.metadata.name, (object.webhooks ?? []).length, age(object)],
});
