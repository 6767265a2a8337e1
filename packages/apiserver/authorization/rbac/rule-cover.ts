import { StatusError } from '@kubernode/api';
import type { PolicyRule } from '@kubernode/api/rbac/v1';
import { trimEndOf } from '@kubernode/machinery';

/**
 * Of `wanted` what `own` does not cover, in the fewest rules that say it (component-helpers, auth/rbac/validation). Each
 * rule is broken down to single verbs, groups, resources and names, and each of these must be covered by one own rule.
 * Throws RequestEntityTooLarge where that takes too many comparisons.
 */
export function missingRules(own: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  let count = 0;
  const missing: PolicyRule[] = [];
  for (const rule of wanted) {
    for (const single of brokenDown(rule)) {
      count += own.length + 1;
      if (count > comparedMax) throw tooMany();
      if (!own.some((one) => covers(one, single))) missing.push(single);
    }
  }
  return compacted(missing);
}

/** A rule of some hundred verbs, groups and resources each is a billion single ones. */
const comparedMax = 1_000_000;
const tooMany = () => StatusError.tooLarge('the rules stand for too many single permissions');

function* brokenDown(rule: PolicyRule): Generator<PolicyRule> {
  const names = rule.resourceNames?.length ? rule.resourceNames.map((name) => [name]) : [undefined];
  for (const verb of rule.verbs ?? []) {
    for (const group of rule.apiGroups ?? [])
      for (const resource of rule.resources ?? [])
        for (const resourceNames of names)
          yield {
            verbs: [verb],
            apiGroups: [group],
            resources: [resource],
            ...(resourceNames && { resourceNames }),
          };
    for (const url of rule.nonResourceURLs ?? []) yield { verbs: [verb], nonResourceURLs: [url] };
  }
}

function covers(own: PolicyRule, single: PolicyRule): boolean {
  const has = (list: readonly string[] | null | undefined, value: string) =>
    list?.includes('*') === true || list?.includes(value) === true;
  if (!has(own.verbs, single.verbs[0]!)) return false;
  const url = single.nonResourceURLs?.[0];
  if (url !== undefined) return (own.nonResourceURLs ?? []).some((pattern) => urlCovers(pattern, url));
  if (!has(own.apiGroups, single.apiGroups![0]!)) return false;
  const resource = single.resources![0]!;
  const subresource = resource.includes('/') ? `*/${resource.slice(resource.indexOf('/') + 1)}` : undefined;
  const hasResource = has(own.resources, resource) || (subresource !== undefined && has(own.resources, subresource));
  if (!hasResource) return false;
  if (!own.resourceNames?.length) return true;
  return single.resourceNames !== undefined && own.resourceNames.includes(single.resourceNames[0]!);
}

const urlCovers = (pattern: string, url: string): boolean =>
  pattern === url || (pattern.endsWith('*') && url.startsWith(trimEndOf(pattern, '*')));

/** Rules that differ in their verb only become one. */
function compacted(rules: readonly PolicyRule[]): PolicyRule[] {
  const verbsOf = new Map<string, Set<string>>();
  for (const { verbs, ...rest } of rules) {
    const key = JSON.stringify(rest);
    const known = verbsOf.get(key) ?? new Set();
    verbsOf.set(key, known);
    for (const verb of verbs) known.add(verb);
  }
  return [...verbsOf].map(([key, verbs]) => ({ ...(JSON.parse(key) as PolicyRule), verbs: [...verbs] }));
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}` */
export function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const part = (title: string, values: readonly string[] | undefined) =>
    values?.length ? [`${title}:[${values.map((value) => JSON.stringify(value)).join(' ')}]`] : [];
  return `{${[
    ...part('APIGroups', apiGroups),
    ...part('Resources', resources),
    ...part('NonResourceURLs', nonResourceURLs),
    ...part('ResourceNames', resourceNames),
    ...part('Verbs', verbs),
  ].join(', ')}}`;
}
