import { dns1035Label, dns1123Subdomain } from '@kubernode/machinery';
import type {
  MutatingWebhook,
  RuleWithOperations,
  ValidatingWebhook,
  WebhookClientConfig,
} from '../generated/types/admissionregistration/v1.ts';
import type { FieldCause } from '../status-error.ts';
import { duplicate, invalid, notSupported, required as requiredCause } from './cause.ts';
import { all, each, evenIfAbsent, fields, type Rule } from './rule.ts';
import { labelSelector } from './selector.ts';
import { oneOf, portNumber } from './values.ts';

type Webhook = ValidatingWebhook & Partial<MutatingWebhook>;

const timeoutSecondsMax = 30;
const nameSegmentsMin = 3;
const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const understoodVersions = ['v1', 'v1beta1'];

/** A name of its own in the world: a domain of three parts at least. */
const name: Rule<string> = evenIfAbsent((value: string | undefined, path) => {
  if (!value) return [requiredCause(path)];
  const found = dns1123Subdomain(value).map((detail) => invalid(path, value, detail));
  if (found.length === 0 && value.split('.').length < nameSegmentsMin) {
    found.push(invalid(path, value, 'should be a domain with at least three segments separated by dots'));
  }
  return found;
});

const versions: Rule<readonly string[]> = evenIfAbsent((list: readonly string[] | undefined, path) => {
  if (!list || list.length === 0) return [requiredCause(path, `must specify one of ${understoodVersions.join(', ')}`)];
  const found = list.flatMap((version, index) => {
    const at = `${path}[${index}]`;
    if (list.indexOf(version) < index) return [invalid(at, version, 'duplicate version')];
    return dns1035Label(version).map((detail) => invalid(at, version, detail));
  });
  if (!list.some((version) => understoodVersions.includes(version))) {
    found.push(invalid(path, list, `must include at least one of ${understoodVersions.join(', ')}`));
  }
  return found;
});

/** By URL or by service, not both. */
const clientConfig: Rule<WebhookClientConfig> = ({ url, service }, path) => {
  if ((url === undefined) === (service === undefined))
    return [requiredCause(path, 'exactly one of url or service is required')];
  if (url !== undefined) return urlCauses(url, `${path}.url`);
  const at = `${path}.service`;
  const found: FieldCause[] = [];
  if (!service?.name) found.push(requiredCause(`${at}.name`, 'service name is required'));
  if (!service?.namespace) found.push(requiredCause(`${at}.namespace`, 'service namespace is required'));
  if (service?.port !== undefined) found.push(...portNumber(service.port, `${at}.port`));
  if (service?.path !== undefined && service.path !== '/' && !/^(\/[^/]+)+$/.test(service.path)) {
    found.push(invalid(`${at}.path`, service.path, "must start with a '/' and have no empty segments"));
  }
  return found;
};

function urlCauses(url: string, path: string): FieldCause[] {
  if (!URL.canParse(url)) return [requiredCause(path, 'url must be a valid URL')];
  const { protocol, host, username, search, hash } = new URL(url);
  const found: FieldCause[] = [];
  if (protocol !== 'https:') found.push(invalid(path, url, "'https' is the only allowed URL scheme"));
  if (!host) found.push(invalid(path, url, 'host must be specified'));
  if (username) found.push(invalid(path, url, 'user information is not permitted in the URL'));
  if (search) found.push(invalid(path, url, 'query parameters are not permitted in the URL'));
  if (hash) found.push(invalid(path, url, 'fragments are not permitted in the URL'));
  return found;
}

/** A list that is there, and names "*" alone or not at all. */
const orStar: Rule<readonly string[]> = evenIfAbsent((list: readonly string[] | undefined, path) => {
  if (!list || list.length === 0) return [requiredCause(path)];
  if (list.length > 1 && list.includes('*')) return [invalid(path, list, "if '*' is present, must not specify others")];
  return [];
});

const filled: Rule<readonly string[]> = evenIfAbsent((list: readonly string[] | undefined, path) =>
  (list ?? []).flatMap((item, index) => (item === '' ? [requiredCause(`${path}[${index}]`)] : [])),
);

/** What a webhook or a policy is called for. */
const operationRule: Rule<RuleWithOperations> = fields<RuleWithOperations>({
  operations: all<readonly string[]>(orStar, (list, path) =>
    (list ?? []).flatMap((one, index) =>
      operations.includes(one) ? [] : [notSupported(`${path}[${index}]`, one, operations)],
    ),
  ) as never,
  apiGroups: orStar,
  apiVersions: all(orStar, filled),
  resources: evenIfAbsent((list: readonly string[] | undefined, path) =>
    !list || list.length === 0 ? [requiredCause(path)] : filled(list, path),
  ),
  scope: oneOf('*', 'Cluster', 'Namespaced'),
});

const webhook = fields<Webhook>({
  name,
  clientConfig,
  rules: each(operationRule),
  failurePolicy: oneOf('Fail', 'Ignore'),
  matchPolicy: oneOf('Equivalent', 'Exact'),
  reinvocationPolicy: oneOf('IfNeeded', 'Never'),
  namespaceSelector: labelSelector,
  objectSelector: labelSelector,
  sideEffects: evenIfAbsent((value: string | undefined, path) => {
    if (value === undefined) return [requiredCause(path, 'must specify one of None, NoneOnDryRun')];
    return oneOf('None', 'NoneOnDryRun')(value, path);
  }),
  timeoutSeconds: (value, path) =>
    value < 1 || value > timeoutSecondsMax
      ? [invalid(path, value, `the timeout value must be between 1 and ${timeoutSecondsMax} seconds`)]
      : [],
  admissionReviewVersions: versions,
});

/** A configuration's webhooks: each by its own rules, no two of one name. */
export const webhooks: Rule<readonly (ValidatingWebhook | MutatingWebhook)[]> = (list, path) => [
  ...each<Webhook>(webhook)(list as readonly Webhook[], path),
  ...list.flatMap(({ name: own }, index) =>
    own && list.findIndex((other) => other.name === own) < index ? [duplicate(`${path}[${index}].name`, own)] : [],
  ),
];
