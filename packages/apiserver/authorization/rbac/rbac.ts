import type { User } from '@kubernode/api';
import { aggregateMessages } from '@kubernode/machinery';
import type { NonResourceRule, ResourceRule } from '@kubernode/api/authorization/v1';
import type { ClusterState, Decision } from '../../seams.ts';
import type { Attributes } from '../../seams.ts';
import type { UserRules } from '../part.ts';
import { RbacIndex, type Grant } from './rbac-index.ts';
import { ruleAllows } from './rules.ts';

export interface Rbac {
  readonly index: RbacIndex;
  /** Never `denied`: RBAC only adds. */
  authorize(user: User, attributes: Attributes): Decision;
}

/** How many decisions of one user are remembered. */
const decisionsMax = 2000;

/**
 * Role-based access control (rbac.authorization.k8s.io/v1). Decisions are remembered by user object and attributes
 * until any role or binding changes.
 */
export function createRbac(state: ClusterState): Rbac {
  let remembered = new WeakMap<User, Map<string, Decision>>();
  const index = new RbacIndex(state, () => {
    remembered = new WeakMap();
  });
  return {
    index,
    authorize(user, attributes) {
      let decisions = remembered.get(user);
      if (!decisions || decisions.size >= decisionsMax) remembered.set(user, (decisions = new Map()));
      const key = keyOf(attributes);
      let decision = decisions.get(key);
      if (!decision) decisions.set(key, (decision = decide(index, user, attributes)));
      return decision;
    },
  };
}

const keyOf = (a: Attributes): string =>
  `${a.verb}\n${a.group}\n${a.resource}\n${a.subresource}\n${a.namespace}\n${a.name}\n${a.path}`;

function decide(index: RbacIndex, user: User, attributes: Attributes): Decision {
  const missing: string[] = [];
  for (const { rule, ...grant } of index.rulesFor(user, attributes.namespace, (message) => missing.push(message)))
    if (ruleAllows(rule, attributes)) return { allowed: true, reason: `RBAC: allowed by ${describe(grant)}` };
  return { allowed: false, reason: missing.length > 0 ? `RBAC: ${aggregateMessages(missing)}` : '' };
}

function describe({ binding, subject }: Grant): string {
  const { name, namespace } = binding.metadata;
  const title = namespace ? `RoleBinding "${name}/${namespace}"` : `ClusterRoleBinding "${name}"`;
  const subjectName =
    subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject.name;
  return `${title} of ${binding.roleRef.kind} "${binding.roleRef.name}" to ${subject.kind} "${subjectName}"`;
}

/** What RBAC allows a user in a namespace, with what it could not look up. */
export function rbacRules(rbac: Rbac, user: User, namespace: string): UserRules {
  const errors: string[] = [];
  const resourceRules: ResourceRule[] = [];
  const nonResourceRules: NonResourceRule[] = [];
  for (const { rule } of rbac.index.rulesFor(user, namespace, (message) => errors.push(message))) {
    const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
    if (resources?.length)
      resourceRules.push({ verbs, apiGroups, resources, ...(resourceNames?.length ? { resourceNames } : {}) });
    if (nonResourceURLs?.length) nonResourceRules.push({ verbs, nonResourceURLs });
  }
  return { resourceRules, nonResourceRules, errors: errors.length > 0 ? [aggregateMessages(errors)] : [] };
}
