import type { User } from '@kubernode/api';
import { trimEndOf } from '@kubernode/machinery';
import type { Attributes } from '../seams.ts';

/** How much of a request is written down, from nothing to everything. */
export const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type Level = (typeof levels)[number];

export const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type Stage = (typeof stages)[number];

export interface GroupResources {
  readonly group?: string;
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface PolicyRule {
  readonly level: Level;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly GroupResources[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly Stage[];
  readonly omitManagedFields?: boolean;
}

/** audit.k8s.io/v1 Policy. */
export interface Policy {
  readonly omitStages?: readonly Stage[];
  readonly omitManagedFields?: boolean;
  readonly rules: readonly PolicyRule[];
}

/** What the policy says of one request. */
export interface Ruling {
  readonly level: Level;
  readonly omitStages: ReadonlySet<Stage>;
  readonly omitManagedFields: boolean;
}

/** Answers by the first rule that matches; what none is about is not written down. `user` is undefined for strangers. */
export function policyEvaluator(policy: Policy): (user: User | undefined, attributes: Attributes) => Ruling {
  const general = policy.omitStages ?? [];
  const rulings = policy.rules.map((rule) => ({
    rule,
    ruling: {
      level: rule.level,
      omitStages: new Set([...general, ...(rule.omitStages ?? [])]),
      omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
    },
  }));
  const otherwise: Ruling = {
    level: 'None',
    omitStages: new Set(general),
    omitManagedFields: policy.omitManagedFields ?? false,
  };
  return (user, attributes) => rulings.find(({ rule }) => matches(rule, user, attributes))?.ruling ?? otherwise;
}

const isGiven = <T>(list: readonly T[] | undefined): list is readonly T[] => list !== undefined && list.length > 0;

function matches(rule: PolicyRule, user: User | undefined, attributes: Attributes): boolean {
  const { users, userGroups, verbs, namespaces, resources, nonResourceURLs } = rule;
  if (isGiven(users) && !(user && users.includes(user.name))) return false;
  if (isGiven(userGroups) && !user?.groups.some((group) => userGroups.includes(group))) return false;
  if (isGiven(verbs) && !verbs.includes(attributes.verb)) return false;
  if (isGiven(namespaces) || isGiven(resources)) return isAboutResource(rule, attributes);
  if (!isGiven(nonResourceURLs)) return true;
  return attributes.resource === '' && nonResourceURLs.some((url) => isPath(attributes.path, url));
}

function isPath(path: string, url: string): boolean {
  return url === '*' || url === path || (url.endsWith('*') && path.startsWith(trimEndOf(url, '*')));
}

function isAboutResource({ namespaces, resources }: PolicyRule, attributes: Attributes): boolean {
  if (attributes.resource === '') return false;
  // What is in no namespace is asked for by ''.
  if (isGiven(namespaces) && !namespaces.includes(attributes.namespace)) return false;
  return !isGiven(resources) || resources.some((each) => isOf(each, attributes));
}

function isOf({ group = '', resources = [], resourceNames = [] }: GroupResources, attributes: Attributes): boolean {
  const { resource, subresource, name } = attributes;
  if (group !== attributes.group && group !== '*') return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false;
  const combined = subresource ? `${resource}/${subresource}` : resource;
  return resources.some(
    (each) =>
      each === combined ||
      each === '*' ||
      (subresource !== '' && each === `*/${subresource}`) ||
      (each.endsWith('/*') && each === `${resource}/*`),
  );
}
