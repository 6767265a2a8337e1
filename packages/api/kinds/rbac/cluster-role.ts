import { type AggregationRule, ClusterRole } from '../../generated/types/rbac/v1.ts';
import type { LabelSelector } from '../../generated/types/meta/v1.ts';
import { invalid } from '../../rules/cause.ts';
import { pathSegment } from '../../rules/names.ts';
import { policyRule } from '../../rules/rbac.ts';
import { each, fields, type Rule, validate } from '../../rules/rule.ts';
import { labelSelector } from '../../rules/selector.ts';
import { required } from '../../rules/values.ts';
import { define } from '../define.ts';

/** Upstream adds that the selector as a whole cannot be used. */
const usableSelector: Rule<LabelSelector> = (selector, path) => {
  const found = labelSelector(selector, path);
  return found.length === 0 ? [] : [...found, invalid(path, selector, 'invalid label selector.')];
};

const aggregation = fields<AggregationRule>({
  clusterRoleSelectors: [required as Rule<readonly LabelSelector[]>, each(usableSelector)],
});

export const clusterRole = define(ClusterRole, {
  validateName: pathSegment,
  validate: validate<ClusterRole>(
    fields<ClusterRole>({ rules: each(policyRule(false)), aggregationRule: aggregation }),
  ),
  createOnUpdate: true,
  row: ({ metadata }) => [metadata.name, metadata.creationTimestamp],
});
