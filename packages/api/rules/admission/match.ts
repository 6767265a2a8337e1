import { deepEqual, pathSegmentName, qualifiedName } from '@kubernode/machinery';
import type {
  MatchCondition,
  MatchResources,
  NamedRuleWithOperations,
} from '../../generated/types/admissionregistration/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { duplicate, invalid, notSupported, required, tooMany } from '../cause.ts';
import { labelSelector } from '../selector.ts';
import { compileExpression, results } from './expressions.ts';
import { operationRule } from './operations.ts';
import { firstIndexes } from '../repeated.ts';

const conditionsMax = 64;
export const matchPolicies = ['Equivalent', 'Exact'];

/** Which requests a policy or a binding is for. */
export function matchResources(resources: MatchResources, path: string): readonly FieldCause[] {
  const { matchPolicy, resourceRules = [], excludeResourceRules = [] } = resources;
  const found: FieldCause[] = [];
  if (matchPolicy === undefined) found.push(required(`${path}.matchPolicy`));
  else if (!matchPolicies.includes(matchPolicy))
    found.push(notSupported(`${path}.matchPolicy`, matchPolicy, matchPolicies));
  for (const name of ['namespaceSelector', 'objectSelector'] as const) {
    const selector = resources[name];
    found.push(...(selector ? labelSelector(selector, `${path}.${name}`) : [required(`${path}.${name}`)]));
  }
  resourceRules.forEach((rule, index) => found.push(...namedRule(rule, `${path}.resourceRules[${index}]`)));
  excludeResourceRules.forEach((rule, index) =>
    found.push(...namedRule(rule, `${path}.excludeResourceRules[${index}]`)),
  );
  return found;
}

function namedRule(rule: NamedRuleWithOperations, path: string): readonly FieldCause[] {
  const names = rule.resourceNames ?? [];
  const first = firstIndexes(names);
  const found = names.flatMap((name, index) => {
    const at = `${path}.resourceNames[${index}]`;
    const causes = pathSegmentName(name).map((detail) => invalid(at, name, detail));
    return first.get(name)! < index ? [...causes, duplicate(at, name)] : causes;
  });
  return [...found, ...operationRule(rule, path)];
}

/** Conditions with names of their own, each a sound expression that comes to a bool. */
export function matchConditions(
  conditions: readonly MatchCondition[],
  path: string,
  { params = false } = {},
): readonly FieldCause[] {
  const found = conditions.length > conditionsMax ? [tooMany(path, conditions.length, conditionsMax)] : [];
  const seen = new Set<string>();
  conditions.forEach(({ name, expression }, index) => {
    const at = `${path}[${index}]`;
    const text = expression.trim();
    if (!text) found.push(required(`${at}.expression`));
    else {
      const names = { params, authorizer: true };
      found.push(...compileExpression(text, `${at}.expression`, names, results.condition).causes);
    }
    if (!name) return void found.push(required(`${at}.name`));
    found.push(...qualifiedName(name).map((detail) => invalid(`${at}.name`, name, detail)));
    if (seen.has(name)) found.push(duplicate(`${at}.name`, name));
    seen.add(name);
  });
  return found;
}

/** Whether an update left its conditions alone: then they are not compiled again. */
export const sameConditions = (
  conditions: readonly MatchCondition[] | undefined,
  old: readonly MatchCondition[] | undefined,
) => deepEqual(conditions, old);
