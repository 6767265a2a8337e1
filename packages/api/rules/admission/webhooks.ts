import { deepEqual, dns1035Label, dns1123Subdomain } from '@kubernode/machinery';
import type {
  MutatingWebhook,
  RuleWithOperations,
  ValidatingWebhook,
} from '../../generated/types/admissionregistration/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, invalid, notSupported, required } from '../cause.ts';
import { labelSelector } from '../selector.ts';
import { webhookService, webhookUrl } from './client-config.ts';
import { matchConditions, matchPolicies } from './match.ts';
import { operationRule } from './operations.ts';
import { firstIndexes } from '../repeated.ts';
import { foundIn } from '../rule.ts';

type Webhook = ValidatingWebhook & Partial<MutatingWebhook>;
type Webhooks = readonly (ValidatingWebhook | MutatingWebhook)[];

const timeoutSecondsMax = 30;
const nameSegmentsMin = 3;
const understoodVersions = ['v1', 'v1beta1'];
const withoutSideEffects = ['None', 'NoneOnDryRun'];
const sideEffects = [...withoutSideEffects, 'Some', 'Unknown'];
export const failurePolicies = ['Fail', 'Ignore'];
export const reinvocationPolicies = ['IfNeeded', 'Never'];

/** What an older configuration has that is refused today stays allowed in it. */
interface Leniency {
  readonly conditionsAreOld: boolean;
  readonly sideEffects: boolean;
  readonly unknownVersions: boolean;
  readonly sameNames: boolean;
}

const strict: Leniency = { conditionsAreOld: false, sideEffects: false, unknownVersions: false, sameNames: false };

/** All that is wrong with a configuration's webhooks; `old` are those before an update. */
export function webhooks(list: Webhooks = [], old?: Webhooks): readonly FieldCause[] {
  const leniency = old ? leniencyOf(list, old) : strict;
  const seen = new Set<string>();
  return foundIn(list, (webhook, index) => {
    const path = `webhooks[${index}]`;
    const found = [...webhookCauses(webhook as Webhook, path, leniency)];
    found.push(...versions(webhook.admissionReviewVersions, `${path}.admissionReviewVersions`, leniency));
    const { name } = webhook;
    if (name && seen.has(name) && !leniency.sameNames) found.push(duplicate(`${path}.name`, name));
    seen.add(name);
    return found;
  });
}

function leniencyOf(list: Webhooks, old: Webhooks): Leniency {
  const conditions = (webhooks: Webhooks) => webhooks.map(({ matchConditions: own }) => own ?? []);
  return {
    conditionsAreOld: deepEqual(conditions(list), conditions(old)),
    sideEffects: old.some(({ sideEffects: own }) => !withoutSideEffects.includes(own ?? '')),
    unknownVersions: old.some(({ admissionReviewVersions: own }) => own?.length && !own.some(isUnderstood)),
    sameNames: new Set(old.map(({ name }) => name)).size < old.length,
  };
}

const isUnderstood = (version: string) => understoodVersions.includes(version);

function webhookCauses(webhook: Webhook, path: string, leniency: Leniency): FieldCause[] {
  const { rules = [], timeoutSeconds: timeout } = webhook;
  const allowed = leniency.sideEffects ? sideEffects : withoutSideEffects;
  const found = [...qualifiedHookName(webhook.name, `${path}.name`)];
  found.push(...foundIn(rules, (rule, index) => operationRule(rule, `${path}.rules[${index}]`)));
  found.push(...oneOf(webhook.failurePolicy, `${path}.failurePolicy`, failurePolicies));
  found.push(...oneOf(webhook.matchPolicy, `${path}.matchPolicy`, matchPolicies));
  found.push(...oneOf(webhook.reinvocationPolicy, `${path}.reinvocationPolicy`, reinvocationPolicies));
  if (webhook.sideEffects === undefined)
    found.push(required(`${path}.sideEffects`, `must specify one of ${allowed.join(', ')}`));
  found.push(...oneOf(webhook.sideEffects, `${path}.sideEffects`, allowed));
  if (timeout !== undefined && (timeout < 1 || timeout > timeoutSecondsMax)) {
    const detail = `the timeout value must be between 1 and ${timeoutSecondsMax} seconds`;
    found.push(invalid(`${path}.timeoutSeconds`, timeout, detail));
  }
  for (const name of ['namespaceSelector', 'objectSelector'] as const) {
    const selector = webhook[name];
    if (selector) found.push(...labelSelector(selector, `${path}.${name}`));
  }
  found.push(...clientConfig(webhook.clientConfig, `${path}.clientConfig`));
  if (!leniency.conditionsAreOld)
    found.push(...matchConditions(webhook.matchConditions ?? [], `${path}.matchConditions`));
  return found;
}

const oneOf = (value: string | undefined, path: string, supported: readonly string[]): FieldCause[] =>
  value === undefined || supported.includes(value) ? [] : [notSupported(path, value, supported)];

/** By URL or by service, not both. */
function clientConfig({ url, service }: Webhook['clientConfig'], path: string): readonly FieldCause[] {
  if ((url === undefined) === (service === undefined))
    return [required(path, 'exactly one of url or service is required')];
  if (url !== undefined) return webhookUrl(url, `${path}.url`);
  return service ? webhookService(service, `${path}.service`) : [];
}

/** A name of its own in the world: a domain of three parts at least. */
function qualifiedHookName(name: string, path: string): FieldCause[] {
  if (!name) return [required(path)];
  const wrong = dns1123Subdomain(name);
  if (wrong.length > 0) return [invalid(path, name, wrong.join(','))];
  if (name.split('.').length >= nameSegmentsMin) return [];
  return [invalid(path, name, 'should be a domain with at least three segments separated by dots')];
}

function versions(list: readonly string[] = [], path: string, { unknownVersions }: Leniency): FieldCause[] {
  if (list.length === 0) return [required(path, `must specify one of ${understoodVersions.join(', ')}`)];
  const first = firstIndexes(list);
  const found = [
    ...foundIn(list, (version, index) => {
      const at = `${path}[${index}]`;
      if (first.get(version)! < index) return [invalid(at, version, 'duplicate version')];
      return dns1035Label(version).map((detail) => invalid(at, version, detail));
    }),
  ];
  if (!unknownVersions && !list.some(isUnderstood))
    found.push(invalid(path, list, `must include at least one of ${understoodVersions.join(', ')}`));
  return found;
}

/** Resources that no webhook is asked about. */
const excluded = new Set([
  'selfsubjectreviews.authentication.k8s.io',
  'tokenreviews.authentication.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
]);

/** Rules that name only what no webhook is asked about. */
export function webhookWarnings(list: Webhooks = []): readonly string[] {
  return list.flatMap(({ rules = [] }, index) =>
    rules.flatMap((rule, at) =>
      excludedOf(rule).map(
        (name) =>
          `webhooks[${index}].rules[${at}]: ${name} is excluded from admission webhooks; this rule will have no effect`,
      ),
    ),
  );
}

function excludedOf({ apiGroups = [], resources = [] }: RuleWithOperations): readonly string[] {
  if (apiGroups.includes('*') || resources.includes('*')) return [];
  const named = apiGroups.flatMap((group) => resources.map((resource) => `${resource}.${group}`));
  return [...new Set(named)].filter((name) => excluded.has(name));
}
