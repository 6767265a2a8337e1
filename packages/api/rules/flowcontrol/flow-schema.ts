import { deepEqual, dns1123Label, dns1123Subdomain } from '@kubernode/machinery';
import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '../../generated/types/flowcontrol/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { forbidden, invalid, notSupported, required } from '../cause.ts';
import { mandatorySpec } from './mandatory.ts';

const precedenceMax = 10_000;
const distinguishers = ['ByNamespace', 'ByUser'];
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const subjectKinds = ['Group', 'ServiceAccount', 'User'];

/** Which requests are of which priority (ValidateFlowSchema). */
export function flowSchemaCauses({ metadata, spec }: FlowSchema): readonly FieldCause[] {
  const { distinguisherMethod, priorityLevelConfiguration, rules = [] } = spec;
  const found = precedence(spec.matchingPrecedence ?? 0, metadata.name ?? '');
  if (distinguisherMethod && !distinguishers.includes(distinguisherMethod.type))
    found.push(notSupported('spec.distinguisherMethod.type', distinguisherMethod, distinguishers));
  const at = 'spec.priorityLevelConfiguration.name';
  const { name } = priorityLevelConfiguration;
  if (name) found.push(...dns1123Subdomain(name).map((detail) => invalid(at, name, detail)));
  else found.push(required(at, 'must reference a priority level'));
  rules.forEach((rule, index) => found.push(...ruleCauses(rule, `spec.rules[${index}]`)));
  const fixed = mandatorySpec('flowschemas', metadata.name);
  if (fixed && !deepEqual(spec, fixed))
    found.push(invalid('spec', spec, `spec of '${metadata.name}' must equal the fixed value`));
  return found;
}

/** Only what is exempt comes first. */
function precedence(value: number, name: string): FieldCause[] {
  const at = 'spec.matchingPrecedence';
  if (value <= 0) return [invalid(at, value, 'must be a positive value')];
  if (value > precedenceMax) return [invalid(at, value, `must not be greater than ${precedenceMax}`)];
  if (value !== 1 || name === 'exempt') return [];
  return [invalid(at, value, "only the schema named 'exempt' may have matchingPrecedence 1")];
}

function ruleCauses(rule: PolicyRulesWithSubjects, path: string): FieldCause[] {
  const { subjects, resourceRules = [], nonResourceRules = [] } = rule;
  const found = subjects.flatMap((subject, index) => subjectCauses(subject, `${path}.subjects[${index}]`));
  if (subjects.length === 0) found.push(required(`${path}.subjects`, 'subjects must contain at least one value'));
  if (resourceRules.length + nonResourceRules.length === 0)
    found.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  resourceRules.forEach((one, index) => found.push(...resourceRule(one, `${path}.resourceRules[${index}]`)));
  nonResourceRules.forEach((one, index) => found.push(...urlRule(one, `${path}.nonResourceRules[${index}]`)));
  return found;
}

/** A subject's kind names the one field that it has. */
function subjectCauses(subject: Subject, path: string): FieldCause[] {
  const { kind, user, group, serviceAccount } = subject;
  const at = (name: string) => `${path}.${name}`;
  if (!subjectKinds.includes(kind)) return [notSupported(at('kind'), kind, subjectKinds)];
  const others = Object.entries({ ServiceAccount: serviceAccount, User: user, Group: group }).flatMap(([of, value]) => {
    const name = of.charAt(0).toLowerCase() + of.slice(1);
    if (of === kind || value === undefined) return [];
    return [forbidden(at(name), `${name} is forbidden when subject kind is not '${of}'`)];
  });
  if (kind === 'ServiceAccount') return [...accountCauses(serviceAccount, at('serviceAccount')), ...others];
  const name = kind === 'User' ? 'user' : 'group';
  const value = subject[name];
  if (!value) return [required(at(name), `${name} is required when subject kind is '${kind}'`), ...others];
  return [...(value.name ? [] : [required(`${at(name)}.name`)]), ...others];
}

function accountCauses(account: Subject['serviceAccount'], path: string): FieldCause[] {
  if (!account) return [required(path, "serviceAccount is required when subject kind is 'ServiceAccount'")];
  const { name, namespace } = account;
  const found = name ? [] : [required(`${path}.name`)];
  if (name && name !== '*')
    found.push(...dns1123Subdomain(name).map((detail) => invalid(`${path}.name`, name, detail)));
  if (namespace)
    found.push(...dns1123Label(namespace).map((detail) => invalid(`${path}.namespace`, namespace, detail)));
  else found.push(required(`${path}.namespace`, 'must specify namespace for service account'));
  return found;
}

/** There is something in the list, and a star stands alone; answers undefined where the items are still to be judged. */
function starAlone(list: readonly string[], path: string, none: string, what: string): FieldCause[] | undefined {
  if (list.length === 0) return [required(path, none)];
  if (!list.includes('*')) return undefined;
  return list.length > 1 ? [invalid(path, list, `if '*' is present, must not specify other ${what}`)] : [];
}

function verbCauses(list: readonly string[] = [], path: string): FieldCause[] {
  const found = starAlone(list, path, 'verbs must contain at least one value', 'verbs');
  if (found) return found;
  return list.every((verb) => verbs.includes(verb)) ? [] : [notSupported(path, list, verbs)];
}

function resourceRule(rule: ResourcePolicyRule, path: string): FieldCause[] {
  const { apiGroups, resources, namespaces, clusterScope } = rule;
  const none = (what: string) => `resource rules must supply at least one ${what}`;
  const found = [
    ...verbCauses(rule.verbs, `${path}.verbs`),
    ...(starAlone(apiGroups, `${path}.apiGroups`, none('api group'), 'api groups') ?? []),
    ...(starAlone(resources, `${path}.resources`, none('resource'), 'resources') ?? []),
  ];
  const at = `${path}.namespaces`;
  if (namespaces.length === 0 && clusterScope) return found;
  const missing = 'resource rules that are not cluster scoped must supply at least one namespace';
  return [...found, ...(starAlone(namespaces, at, missing, 'namespaces') ?? namespaceNames(namespaces, at))];
}

const namespaceNames = (names: readonly string[], path: string) =>
  names.flatMap((name, index) =>
    dns1123Label(name).map((detail) =>
      invalid(`${path}[${index}]`, name, `each member of this list must be '*' or a DNS-1123 label; ${detail}`),
    ),
  );

function urlRule(rule: NonResourcePolicyRule, path: string): FieldCause[] {
  const at = `${path}.nonResourceURLs`;
  const urls = rule.nonResourceURLs;
  const none = 'nonResourceURLs must contain at least one value';
  const found = starAlone(urls, at, none, 'non-resource URLs') ?? [];
  if (!urls.includes('*')) urls.forEach((url, index) => found.push(...urlCauses(url, `${at}[${index}]`)));
  return [...verbCauses(rule.verbs, `${path}.verbs`), ...found];
}

function urlCauses(url: string, path: string): FieldCause[] {
  const detail = urlProblem(url);
  return detail ? [invalid(path, url, detail)] : [];
}

function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const stars = url.split('*').length - 1;
  return stars === 0 || (stars === 1 && url.endsWith('/*')) ? undefined : 'wildcard can only do suffix matching';
}
