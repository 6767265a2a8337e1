import type {
  MatchResources,
  MutatingWebhook,
  ParamKind,
  ParamRef,
  Rule,
  ValidatingWebhook,
} from '../generated/types/admissionregistration/v1.ts';

const portDefault = 443;
const timeoutSecondsDefault = 10;

/** What admissionregistration/v1 fills in of a webhook. */
export function webhookDefaults(webhook: ValidatingWebhook | MutatingWebhook): void {
  webhook.failurePolicy ??= 'Fail';
  webhook.matchPolicy ??= 'Equivalent';
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= timeoutSecondsDefault;
  if (webhook.clientConfig.service) webhook.clientConfig.service.port ??= portDefault;
  webhook.rules?.forEach(ruleDefaults);
}

/** Of one that changes objects also, whether it is asked again. */
export function mutatingWebhookDefaults(webhook: MutatingWebhook): void {
  webhookDefaults(webhook);
  webhook.reinvocationPolicy ??= 'Never';
}

/** What it fills in of the resources that a policy is for. */
export function matchDefaults(resources: MatchResources): void {
  resources.matchPolicy ??= 'Equivalent';
  resources.namespaceSelector ??= {};
  resources.objectSelector ??= {};
  resources.resourceRules?.forEach(ruleDefaults);
  resources.excludeResourceRules?.forEach(ruleDefaults);
}

function ruleDefaults(rule: Rule): void {
  rule.scope ??= '*';
}

/** `v1/ConfigMap`, or `<unset>`. */
export const kindCell = (kind: ParamKind | undefined) => (kind ? `${kind.apiVersion}/${kind.kind}` : '<unset>');

/** `namespace/name`, `*` for any that is selected, or `<unset>`. */
export function parameterCell(reference: ParamRef | undefined): string {
  if (!reference) return '<unset>';
  const name = reference.name ?? '*';
  return reference.namespace ? `${reference.namespace}/${name}` : `*/${name}`;
}
