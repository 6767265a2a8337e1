import { StatusError, type User } from '@kubernode/api';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef } from '@kubernode/api/rbac/v1';
import { aggregateMessages, deepEqual } from '@kubernode/machinery';
import type { Rbac } from '../../authorization/rbac/rbac.ts';
import { rbacGroup } from '../../authorization/rbac/rbac-index.ts';
import { missingRules, ruleText } from '../../authorization/rbac/rule-cover.ts';
import type { AdmissionPlugin, AdmissionRequest, Attributes, Authorizer } from '../../seams.ts';

const fullAuthority: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Nobody hands out, by role or by binding, what they do not have themselves, unless the verbs `escalate` and `bind` let
 * them. Not a plugin upstream, but part of the storage of these kinds: no flag turns it off. Runs after all that mutates.
 */
export function rbacEscalation(rbac: Rbac, authorize: Authorizer): AdmissionPlugin {
  return {
    name: 'RBACEscalation',
    resources: ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
    async mutate(request) {
      const { group, resource } = request.attributes;
      if (group !== rbacGroup || !['CREATE', 'UPDATE'].includes(request.operation)) return;
      if (request.user.groups.includes('system:masters') || isForCollectorOnly(request)) return;
      if (resource === 'roles' || resource === 'clusterroles') await checkRole(request, rbac, authorize);
      else await checkBinding(request, rbac, authorize);
    },
  };
}

/** The garbage collector changes finalizers and owner references of what it must not otherwise touch. */
function isForCollectorOnly({ object, oldObject }: AdmissionRequest): boolean {
  if (!object || !oldObject) return false;
  const rest = (value: typeof object) => {
    const { ownerReferences: _o, finalizers: _f, managedFields: _m, ...metadata } = value.metadata;
    return { ...value, metadata };
  };
  return deepEqual(rest(object), rest(oldObject));
}

async function checkRole(request: AdmissionRequest, rbac: Rbac, authorize: Authorizer): Promise<void> {
  const role = request.object as Role | ClusterRole;
  if (await allows(authorize, request, { verb: 'escalate', name: request.oldObject ? role.metadata.name : '' })) return;
  confirm(request, rbac, role.rules ?? []);
  if (!('aggregationRule' in role && role.aggregationRule?.clusterRoleSelectors?.length)) return;
  if (escalation(request.user, '', rbac, fullAuthority))
    throw refuse(request, 'must have cluster-admin privileges to use an aggregationRule');
}

async function checkBinding(request: AdmissionRequest, rbac: Rbac, authorize: Authorizer): Promise<void> {
  const { roleRef } = request.object as RoleBinding | ClusterRoleBinding;
  const resource = roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  if (await allows(authorize, request, { verb: 'bind', resource, name: roleRef.name })) return;
  const rules = rbac.index.rulesOf(roleRef, request.attributes.namespace);
  if (!rules) throw notFound(request, roleRef);
  confirm(request, rbac, rules);
}

async function allows(authorize: Authorizer, request: AdmissionRequest, more: Partial<Attributes>): Promise<boolean> {
  const { group, resource, namespace } = request.attributes;
  const attributes = { group, version: '*', resource, subresource: '', namespace, name: '', path: '', verb: '' };
  return (await authorize(request.user, { ...attributes, ...more })).allowed;
}

function confirm(request: AdmissionRequest, rbac: Rbac, rules: readonly PolicyRule[]): void {
  const why = escalation(request.user, request.attributes.namespace, rbac, rules);
  if (why) throw refuse(request, why);
}

/** What is wrong with giving away `rules`; undefined where the user has all of them. */
function escalation(user: User, namespace: string, rbac: Rbac, rules: readonly PolicyRule[]): string | undefined {
  const unresolved: string[] = [];
  const own = [...rbac.index.rulesFor(user, namespace, (message) => unresolved.push(message))].map(({ rule }) => rule);
  const missing = missingRules(own, rules);
  if (missing.length === 0) return undefined;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  const who = `user ${JSON.stringify(user.name)} (groups=[${groups}])`;
  const what = [...new Set(missing.map(ruleText))].sort().join('\n');
  const note = unresolved.length > 0 ? `; resolution errors: [${aggregateMessages(unresolved)}]` : '';
  return `${who} is attempting to grant RBAC permissions not currently held:\n${what}${note}`;
}

function refuse({ attributes, object }: AdmissionRequest, why: string): StatusError {
  const { group, resource } = attributes;
  return StatusError.forbidden({ group, plural: resource }, object?.metadata.name ?? '', why);
}

function notFound({ attributes, object }: AdmissionRequest, { kind, name }: RoleRef): StatusError {
  const message = `${kind.toLowerCase()}.${rbacGroup} ${JSON.stringify(name)} not found`;
  const details = { name: object?.metadata.name ?? '', group: rbacGroup, kind: attributes.resource };
  return StatusError.of('NotFound', message, details);
}
