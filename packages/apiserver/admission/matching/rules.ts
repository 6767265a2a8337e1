import type { AdmissionRequest } from '../../seams.ts';
import type { GroupVersionResource } from './reviewed-request.ts';

/** admissionregistration/v1 RuleWithOperations, and of policies NamedRuleWithOperations. */
export interface Rule {
  readonly operations?: readonly string[] | undefined;
  readonly apiGroups?: readonly string[] | undefined;
  readonly apiVersions?: readonly string[] | undefined;
  /** `pods`, `pods/status`, `*`, `pods/*`, `*` + `/scale`. */
  readonly resources?: readonly string[] | undefined;
  readonly scope?: string | undefined;
  readonly resourceNames?: readonly string[] | undefined;
}

/** Whether a rule is about a request, as if it were for `resource`. */
export type RuleMatcher = (operation: Operation, resource: GroupVersionResource, target: RuleTarget) => boolean;

type Operation = AdmissionRequest['operation'];

export interface RuleTarget {
  readonly subresource: string;
  /** Of a Namespace, its own name. */
  readonly namespace: string;
  readonly name: string;
}

/** Prepares a rule, so that what it is not about is told at once. */
export function ruleMatcher(rule: Rule): RuleMatcher {
  const operations = anyOf(rule.operations);
  const groups = anyOf(rule.apiGroups);
  const versions = anyOf(rule.apiVersions);
  const resources = (rule.resources ?? []).map((text) => {
    const at = text.indexOf('/');
    return at < 0 ? { plural: text, subresource: '' } : { plural: text.slice(0, at), subresource: text.slice(at + 1) };
  });
  const { scope, resourceNames = [] } = rule;
  return (operation, { group, version, resource }, { subresource, namespace, name }) =>
    groups(group) &&
    operations(operation) &&
    resources.some(
      (one) =>
        (one.plural === '*' || one.plural === resource) && (one.subresource === '*' || one.subresource === subresource),
    ) &&
    versions(version) &&
    isInScope(scope, group, version, resource, namespace) &&
    (resourceNames.length === 0 || resourceNames.includes(name));
}

function anyOf(values: readonly string[] = []): (value: string) => boolean {
  if (values.includes('*')) return () => true;
  const [only] = values;
  if (values.length === 1) return (value) => value === only;
  const set = new Set(values);
  return (value) => set.has(value);
}

/** A Namespace is cluster-scoped, though its namespace is its own name. */
function isInScope(
  scope: string | undefined,
  group: string,
  version: string,
  resource: string,
  namespace: string,
): boolean {
  if (scope === undefined || scope === '*') return true;
  const isNamespace = group === '' && version === 'v1' && resource === 'namespaces';
  if (scope === 'Namespaced') return !isNamespace && namespace !== '';
  return scope === 'Cluster' && (isNamespace || namespace === '');
}
