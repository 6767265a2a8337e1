import type { PolicyRule } from '@kubernode/api/rbac/v1';
import { trimEndOf } from '@kubernode/machinery';
import type { Attributes } from '../../seams.ts';

/** Whether an RBAC rule allows a request (k8s.io/component-helpers, auth/rbac: the meaning of the fields and of '*'). */
export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!matches(rule.verbs, attributes.verb)) return false;
  if (attributes.resource === '') return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, attributes.path));
  return (
    matches(rule.apiGroups, attributes.group) &&
    resourceMatches(rule.resources ?? [], attributes) &&
    nameMatches(rule.resourceNames, attributes.name)
  );
}

const matches = (allowed: readonly string[] | null | undefined, wanted: string): boolean =>
  allowed?.some((value) => value === '*' || value === wanted) ?? false;

const nameMatches = (names: readonly string[] | null | undefined, name: string): boolean =>
  !names || names.length === 0 || names.includes(name);

function resourceMatches(resources: readonly string[], { resource, subresource }: Attributes): boolean {
  const wanted = subresource ? `${resource}/${subresource}` : resource;
  return resources.some(
    (value) => value === '*' || value === wanted || (subresource !== '' && value === `*/${subresource}`),
  );
}

function urlMatches(allowed: string, path: string): boolean {
  return allowed === '*' || allowed === path || (allowed.endsWith('*') && path.startsWith(trimEndOf(allowed, '*')));
}
