import { decodeYaml } from '@kubernode/api';
import { Problems } from '../component-config/problems.ts';
import { levels, stages, type Policy, type PolicyRule } from './policy.ts';

/** Reads `--audit-policy-file`. Throws Error with every rule that cannot be followed, by its path. */
export function parsePolicy(text: string): Policy {
  const value = decodeYaml(text).value as (Policy & { apiVersion?: string; kind?: string }) | null;
  if (value?.apiVersion !== 'audit.k8s.io/v1' || value.kind !== 'Policy') {
    const found = `${String(value?.apiVersion)}, Kind=${String(value?.kind)}`;
    throw new Error(`unknown group version field ${found} in policy, expected audit.k8s.io/v1, Kind=Policy`);
  }
  const rules = value.rules ?? [];
  const problems = new Problems();
  checkStages(value.omitStages, 'omitStages', problems);
  rules.forEach((rule, index) => checkRule(rule, `rules[${index}]`, problems));
  problems.throwIfAny();
  if (rules.length === 0) throw new Error('loaded illegal policy with 0 rules');
  return { ...value, rules };
}

function checkRule(rule: PolicyRule, path: string, problems: Problems): void {
  const { level, resources = [], namespaces = [], nonResourceURLs = [] } = rule;
  if (!level) problems.required(`${path}.level`);
  else if (!levels.includes(level)) problems.notSupported(`${path}.level`, level, levels);
  nonResourceURLs.forEach((url, at) => checkUrl(url, `${path}.nonResourceURLs[${at}]`, problems));
  for (const { resources: names = [], resourceNames = [] } of resources) {
    if (resourceNames.length === 0 || names.length > 0) continue;
    const why = 'using resourceNames requires at least one resource';
    problems.invalid(`${path}.resources.resourceNames`, resourceNames, why);
  }
  checkStages(rule.omitStages, `${path}.omitStages`, problems);
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    const why = 'rules cannot apply to both regular resources and non-resource URLs';
    problems.invalid(`${path}.nonResourceURLs`, nonResourceURLs, why);
  }
}

function checkUrl(url: string, path: string, problems: Problems): void {
  if (url === '*') return;
  if (!url.startsWith('/')) problems.invalid(path, url, "non-resource URL rules must begin with a '/' character");
  if (!url.slice(0, -1).includes('*')) return;
  problems.invalid(path, url, "non-resource URL wildcards '*' must be the final character of the rule");
}

function checkStages(omitStages: Policy['omitStages'] = [], path: string, problems: Problems): void {
  omitStages.forEach((stage, index) => {
    if (stages.includes(stage)) return;
    problems.invalid(`${path}[${index}]`, stage, `allowed stages are ${stages.join(',')}`);
  });
}
