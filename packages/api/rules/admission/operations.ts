import type { RuleWithOperations } from '../../generated/types/admissionregistration/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid, notSupported, required } from '../cause.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

/** Which requests a webhook or a policy is for (validateRuleWithOperations). */
export function operationRule(rule: RuleWithOperations, path: string): readonly FieldCause[] {
  const { scope, operations: wanted = [], apiVersions: versions = [], resources = [] } = rule;
  return [
    ...starAlone(wanted, `${path}.operations`, 'operations'),
    ...wanted.flatMap((one, index) =>
      operations.includes(one) ? [] : [notSupported(`${path}.operations[${index}]`, one, operations)],
    ),
    ...starAlone(rule.apiGroups, `${path}.apiGroups`, 'API groups'),
    ...starAlone(versions, `${path}.apiVersions`, 'API versions'),
    ...versions.flatMap((version, index) => (version ? [] : [required(`${path}.apiVersions[${index}]`)])),
    ...resourceCauses(resources, `${path}.resources`),
    ...(scope === undefined || scopes.includes(scope) ? [] : [notSupported(`${path}.scope`, scope, scopes)]),
  ];
}

/** A list that is there, and names "*" alone or not at all. */
function starAlone(list: readonly string[] = [], path: string, what: string): FieldCause[] {
  if (list.length === 0) return [required(path)];
  if (list.length === 1 || !list.includes('*')) return [];
  return [invalid(path, list, `if '*' is present, must not specify other ${what}`)];
}

/** Resources with or without a subresource; what a star covers is not named again. */
function resourceCauses(resources: readonly string[], path: string): FieldCause[] {
  if (resources.length === 0) return [required(path)];
  const found: FieldCause[] = [];
  const allSubresources = new Set<string>();
  const ofAllResources = new Set<string>();
  let endsPlain = false;
  resources.forEach((name, index) => {
    const at = `${path}[${index}]`;
    if (!name) return void found.push(required(at));
    const slash = name.indexOf('/');
    // As upstream has it, the last one without a subresource decides.
    if (slash < 0) return void (endsPlain = name !== '*');
    const [resource, subresource] = [name.slice(0, slash), name.slice(slash + 1)];
    if (allSubresources.has(resource))
      found.push(invalid(at, name, `if '${resource}/*' is present, must not specify ${name}`));
    if (ofAllResources.has(subresource))
      found.push(invalid(at, name, `if '*/${subresource}' is present, must not specify ${name}`));
    if (subresource === '*') allSubresources.add(resource);
    if (resource === '*') ofAllResources.add(subresource);
  });
  if (resources.length > 1 && resources.includes('*/*'))
    found.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes('*') && endsPlain)
    found.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"));
  return found;
}
