import type { PolicyRule, RoleRef, Subject } from '../generated/types/rbac/v1.ts';
import type { FieldCause } from '../status-error.ts';
import { invalid, notSupported, required as requiredCause } from './cause.ts';
import { pathSegment, subdomainName } from './names.ts';
import type { Rule } from './rule.ts';

const group = 'rbac.authorization.k8s.io';

/** What may be done with what: resources, or paths where the role is the cluster's. */
export const policyRule =
  (isNamespaced: boolean): Rule<PolicyRule> =>
  (rule, path) => {
    const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs: urls = [] } = rule;
    const found: FieldCause[] = [];
    if (urls.length > 0) {
      const at = `${path}.nonResourceURLs`;
      if (isNamespaced) found.push(invalid(at, urls, 'namespaced rules cannot apply to non-resource URLs'));
      if (apiGroups.length + resources.length + resourceNames.length > 0) {
        found.push(invalid(at, urls, 'rules cannot apply to both regular resources and non-resource URLs'));
      }
      return found;
    }
    if (apiGroups.length === 0)
      found.push(requiredCause(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
    if (resources.length === 0)
      found.push(requiredCause(`${path}.resources`, 'resource rules must supply at least one resource'));
    return found;
  };

/** Who: a user or a group by any name, a service account by its name and namespace. */
export const subject =
  (isNamespaced: boolean): Rule<Subject> =>
  ({ kind, name, apiGroup = '', namespace = '' }, path) => {
    const found: FieldCause[] = name ? [] : [requiredCause(`${path}.name`)];
    const expected = kind === 'ServiceAccount' ? '' : group;
    if (kind === 'ServiceAccount') {
      if (name) found.push(...subdomainName(name, false).map((detail) => invalid(`${path}.name`, name, detail)));
      if (!namespace && !isNamespaced) found.push(requiredCause(`${path}.namespace`));
    } else if (kind !== 'User' && kind !== 'Group') {
      return [...found, notSupported(`${path}.kind`, kind, ['Group', 'ServiceAccount', 'User'])];
    }
    if (apiGroup !== expected) found.push(notSupported(`${path}.apiGroup`, apiGroup, [expected]));
    return found;
  };

/** The role that is bound, of the namespace or of the cluster. */
export const roleRef =
  (kinds: readonly string[]): Rule<RoleRef> =>
  ({ apiGroup, kind, name }, path) => {
    const found: FieldCause[] = apiGroup === group ? [] : [notSupported(`${path}.apiGroup`, apiGroup, [group])];
    if (!kinds.includes(kind)) found.push(notSupported(`${path}.kind`, kind, kinds));
    if (!name) return [...found, requiredCause(`${path}.name`)];
    return [...found, ...pathSegment(name, false).map((detail) => invalid(`${path}.name`, name, detail))];
  };

/** References say which API they mean, even where a client did not. */
export function bindingDefaults({
  roleRef: role,
  subjects,
}: {
  roleRef: RoleRef;
  subjects?: Subject[] | undefined;
}): void {
  role.apiGroup ||= group;
  for (const one of subjects ?? []) {
    if (one.kind === 'User' || one.kind === 'Group') one.apiGroup ||= group;
  }
}

/** Users, groups and service accounts of a binding, each as a list in one cell. */
export function subjectCells(subjects: readonly Subject[] = []): readonly string[] {
  const names = (kind: string) => subjects.filter((one) => one.kind === kind);
  const accounts = names('ServiceAccount').map(({ name, namespace }) => (namespace ? `${namespace}/${name}` : name));
  return [
    names('User')
      .map(({ name }) => name)
      .join(', '),
    names('Group')
      .map(({ name }) => name)
      .join(', '),
    accounts.join(', '),
  ];
}
