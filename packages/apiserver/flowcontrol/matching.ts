import type { User } from '@kubernode/api';
import type { FlowSchema } from '@kubernode/api/flowcontrol/v1';
import type { Attributes } from '../seams.ts';

type Spec = FlowSchema['spec'];
type Rule = NonNullable<Spec['rules']>[number];

/** Whether a FlowSchema is about a request. */
export function matches({ rules = [] }: Spec, user: User, attributes: Attributes): boolean {
  for (const rule of rules) {
    if (!rule.subjects.some((subject) => isSubject(subject, user))) continue;
    if (attributes.resource) {
      if (rule.resourceRules?.some((resourceRule) => isResource(resourceRule, attributes))) return true;
    } else if (rule.nonResourceRules?.some((pathRule) => isPath(pathRule, attributes))) return true;
  }
  return false;
}

/** What the requests of one flow have in common. */
export function distinguisherOf({ distinguisherMethod }: Spec, user: User, { namespace }: Attributes): string {
  if (!distinguisherMethod) return '';
  return distinguisherMethod.type === 'ByUser' ? user.name : namespace;
}

function isSubject(subject: Rule['subjects'][number], { name, groups }: User): boolean {
  if (subject.kind === 'User') return subject.user?.name === '*' || subject.user?.name === name;
  if (subject.kind === 'Group') return subject.group?.name === '*' || groups.includes(subject.group?.name ?? '');
  const { namespace, name: account } = subject.serviceAccount ?? { namespace: '', name: '' };
  const prefix = `system:serviceaccount:${namespace}:`;
  return account === '*' ? name.startsWith(prefix) : name === prefix + account;
}

const has = (values: readonly string[] | undefined, value: string) =>
  values !== undefined && (values.includes('*') || values.includes(value));

function isResource(rule: NonNullable<Rule['resourceRules']>[number], attributes: Attributes): boolean {
  const { resource, subresource, namespace } = attributes;
  return (
    has(rule.verbs, attributes.verb) &&
    has(rule.apiGroups, attributes.group) &&
    has(rule.resources, subresource ? `${resource}/${subresource}` : resource) &&
    (namespace ? has(rule.namespaces, namespace) : rule.clusterScope === true)
  );
}

function isPath(
  { verbs, nonResourceURLs }: NonNullable<Rule['nonResourceRules']>[number],
  attributes: Attributes,
): boolean {
  if (!has(verbs, attributes.verb)) return false;
  return nonResourceURLs.some((url) =>
    url.endsWith('*') ? attributes.path.startsWith(url.slice(0, -1)) : url === attributes.path,
  );
}
