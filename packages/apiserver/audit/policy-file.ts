import { decodeYaml } from '@kubernode/api';
import { levels, stages, type Policy, type PolicyRule } from './policy.ts';

/** Reads `--audit-policy-file`. Throws Error with every rule that cannot be followed, by its path. */
export function parsePolicy(text: string): Policy {
  const value = decodeYaml(text).value as (Policy & { apiVersion?: string; kind?: string }) | null;
  if (value?.apiVersion !== 'audit.k8s.io/v1' || value.kind !== 'Policy') {
    const found = `${String(value?.apiVersion)}, Kind=${String(value?.kind)}`;
    throw new Error(`unknown group version field ${found} in policy, expected audit.k8s.io/v1, Kind=Policy`);
  }
  const rules = value.rules ?? [];
  const wrong = [...wrongStages(value.omitStages, 'omitStages'), ...rules.flatMap(wrongInRule)];
  if (wrong.length === 1) throw new Error(wrong[0]);
  if (wrong.length > 1) throw new Error(`[${wrong.join(', ')}]`);
  if (rules.length === 0) throw new Error('loaded illegal policy with 0 rules');
  return { ...value, rules };
}

function wrongInRule(rule: PolicyRule, index: number): string[] {
  const path = `rules[${index}]`;
  const { level, resources = [], namespaces = [], nonResourceURLs = [] } = rule;
  const wrong: string[] = [];
  if (!level) wrong.push(`${path}.level: Required value`);
  else if (!levels.includes(level)) {
    const supported = levels.map((each) => `"${each}"`).join(', ');
    wrong.push(`${path}.level: Unsupported value: ${JSON.stringify(level)}: supported values: ${supported}`);
  }
  nonResourceURLs.forEach((url, at) => wrong.push(...wrongUrl(url, `${path}.nonResourceURLs[${at}]`)));
  for (const { resources: names = [], resourceNames = [] } of resources) {
    if (resourceNames.length > 0 && names.length === 0) {
      const value = JSON.stringify(resourceNames);
      const why = 'using resourceNames requires at least one resource';
      wrong.push(`${path}.resources.resourceNames: Invalid value: ${value}: ${why}`);
    }
  }
  wrong.push(...wrongStages(rule.omitStages, `${path}.omitStages`));
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    const why = 'rules cannot apply to both regular resources and non-resource URLs';
    wrong.push(`${path}.nonResourceURLs: Invalid value: ${JSON.stringify(nonResourceURLs)}: ${why}`);
  }
  return wrong;
}

function wrongUrl(url: string, path: string): string[] {
  if (url === '*') return [];
  const wrong: string[] = [];
  const blame = (why: string) => wrong.push(`${path}: Invalid value: ${JSON.stringify(url)}: ${why}`);
  if (!url.startsWith('/')) blame("non-resource URL rules must begin with a '/' character");
  if (url.slice(0, -1).includes('*')) blame("non-resource URL wildcards '*' must be the final character of the rule");
  return wrong;
}

function wrongStages(omitStages: Policy['omitStages'], path: string): string[] {
  return (omitStages ?? []).flatMap((stage, index) => {
    if (stages.includes(stage)) return [];
    const why = `allowed stages are ${stages.join(',')}`;
    return [`${path}[${index}]: Invalid value: ${JSON.stringify(stage)}: ${why}`];
  });
}
