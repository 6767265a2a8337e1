import { ClusterRole, type PolicyRule } from '@kubernode/api/rbac/v1';
import { controller, mapped } from '@kubernode/client';
import { deepEqual, labelSelectorMatcher } from '@kubernode/machinery';

const name = 'clusterrole-aggregation-controller';

/** Fills the rules of cluster roles that are the sum of others. */
export const clusterRoleAggregationController = controller<ClusterRole>({
  name,
  reconciles: ClusterRole,
  watches: [
    mapped(ClusterRole, (_, { informer }) =>
      informer(ClusterRole)
        .list()
        .filter(({ aggregationRule }) => aggregationRule)
        .map(({ metadata }) => metadata.name),
    ),
  ],
  writes: [ClusterRole],
  filter: ({ aggregationRule }) => aggregationRule !== undefined,
  async reconcile(role, { client, informer }) {
    if (!role.aggregationRule || role.metadata.deletionTimestamp) return;
    const rules = aggregatedRules(role, informer(ClusterRole).list());
    if (deepEqual(rules, role.rules ?? [])) return;
    const { apiVersion, kind } = ClusterRole;
    const body = { apiVersion, kind, metadata: { name: role.metadata.name }, rules };
    const target = { name: role.metadata.name };
    await client.patch(ClusterRole, target, { type: 'apply', body }, { fieldManager: name, force: true });
  },
});

/** The rules of all selected roles, each once: selector by selector, and by the roles' names. */
export function aggregatedRules(
  { metadata, aggregationRule }: ClusterRole,
  roles: readonly ClusterRole[],
): PolicyRule[] {
  const sorted = roles
    .filter((role) => role.metadata.name !== metadata.name)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const selector of aggregationRule?.clusterRoleSelectors ?? []) {
    const matcher = labelSelectorMatcher(selector);
    const selected = sorted.filter((role) => matcher.matches(role.metadata.labels));
    for (const rule of selected.flatMap((role) => role.rules ?? []))
      if (!rules.some((known) => deepEqual(known, rule))) rules.push(rule);
  }
  return rules;
}
