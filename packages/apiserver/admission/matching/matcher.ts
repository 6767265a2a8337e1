import type { AdmissionRequest, ClusterState } from '../../seams.ts';
import type { GroupVersionResource, ReviewedRequest, ReviewedVersion } from './reviewed-request.ts';
import { ruleMatcher, type Rule, type RuleMatcher, type RuleTarget } from './rules.ts';
import { selectorMatcher, type Selectors } from './selectors.ts';

/** What webhooks and policies say of the requests that they are for. */
export interface MatchOptions extends Selectors {
  readonly rules: readonly Rule[];
  readonly excludeRules?: readonly Rule[] | undefined;
  /** Where there are no rules at all: whether that is everything (a binding) or nothing (a webhook). */
  readonly everythingWithoutRules?: boolean | undefined;
  readonly matchPolicy?: string | undefined;
}

/** The version in which a request is to be shown; undefined where it does not match. Throws StatusError. */
export type Matcher = (request: AdmissionRequest) => ReviewedVersion | undefined;

/** Prepares rules, selectors and match policy (apiserver, pkg/admission/plugin/policy/matching and webhook/generic). */
export function matcherOf(state: ClusterState, options: MatchOptions): Matcher {
  const rules = options.rules.map(ruleMatcher);
  const excludes = (options.excludeRules ?? []).map(ruleMatcher);
  const isEquivalent = options.matchPolicy === 'Equivalent';
  const isSelected = selectorMatcher(state, options);
  const matchesAll = rules.length === 0 && options.everythingWithoutRules === true;
  return (request) => {
    const { review } = request;
    if (!review) return undefined;
    const version = matchesAll ? review.version : versionOf(rules, request, review, isEquivalent);
    if (!version) return undefined;
    if (excludes.length > 0 && versionOf(excludes, request, review, isEquivalent)) return undefined;
    return isSelected(request, review.namespace) ? version : undefined;
  };
}

function versionOf(
  rules: readonly RuleMatcher[],
  request: AdmissionRequest,
  review: ReviewedRequest,
  isEquivalent: boolean,
): ReviewedVersion | undefined {
  const { operation, attributes } = request;
  const { namespace, name, version } = review;
  const target: RuleTarget = { subresource: attributes.subresource, namespace, name };
  const matches = (rule: RuleMatcher, resource: GroupVersionResource) => rule(operation, resource, target);
  if (rules.some((rule) => matches(rule, version.resource))) return version;
  if (!isEquivalent || review.equivalents.length === 0) return undefined;
  for (const rule of rules) {
    const found = review.equivalents.find(({ resource }) => matches(rule, resource));
    if (found) return found;
  }
  return undefined;
}
