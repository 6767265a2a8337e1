import { canonicalQuantity } from '@kubernode/machinery';
import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ResourceQuotaStatus,
  ScopedResourceSelectorRequirement,
} from '../generated/types/core/v1.ts';
import type { FieldCause } from '../status-error.ts';
import { invalid, required as requiredCause } from './cause.ts';
import { type ResourceList, resourceName, resourceQuantity } from './resources.ts';
import { all, fields, type Rule } from './rule.ts';
import { immutable } from './values.ts';

const scopes = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
  'VolumeAttributesClass',
];
const operators = ['DoesNotExist', 'Exists', 'In', 'NotIn'];

const amounts: Rule<ResourceList> = (list, path) =>
  Object.entries(list).flatMap(([name, quantity]) => {
    const at = `${path}[${name}]`;
    const found = resourceName(name, at);
    const bare =
      found.length > 0 && !name.includes('/') ? [invalid(at, name, 'must be a standard resource for quota')] : [];
    return [...found, ...bare, ...resourceQuantity(name)(quantity, at)];
  });

const scopeNames: Rule<readonly string[]> = (list, path) => {
  const unknown = list.filter((scope) => !scopes.includes(scope));
  if (unknown.length > 0) return [invalid(path, list, 'unsupported scope')];
  const clashes = [
    ['BestEffort', 'NotBestEffort'],
    ['Terminating', 'NotTerminating'],
  ];
  const isClash = clashes.some((pair) => pair.every((scope) => list.includes(scope)));
  return isClash ? [invalid(path, list, 'conflicting scopes')] : [];
};

const requirement: Rule<ScopedResourceSelectorRequirement> = ({ scopeName, operator, values = [] }, path) => {
  const found: FieldCause[] = scopes.includes(scopeName)
    ? []
    : [invalid(`${path}.scopeName`, scopeName, 'unsupported scope')];
  const takesValues = scopeName === 'PriorityClass' || scopeName === 'VolumeAttributesClass';
  if (!operators.includes(operator))
    return [...found, invalid(`${path}.operator`, operator, 'not a valid selector operator')];
  if (scopes.includes(scopeName) && !takesValues && operator !== 'Exists') {
    found.push(
      invalid(
        `${path}.operator`,
        operator,
        "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
      ),
    );
  }
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      found.push(
        requiredCause(
          `${path}.values`,
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
      );
  } else if (values.length > 0) {
    found.push(
      invalid(
        `${path}.values`,
        values,
        "must be no value when `operator` is 'Exists' or 'DoesNotExist' for scope selector",
      ),
    );
  }
  return found;
};

/** Causes of a scope selector are at the list, without an index, as upstream's. */
export const quotaSpec: Rule<ResourceQuotaSpec> = all<ResourceQuotaSpec>(
  fields<ResourceQuotaSpec>({ hard: amounts, scopes: scopeNames }),
  ({ scopeSelector }, path) =>
    (scopeSelector?.matchExpressions ?? []).flatMap((one) =>
      requirement(one, `${path}.scopeSelector.matchExpressions`),
    ),
);

export const quotaSpecUpdate: Rule<ResourceQuotaSpec> = fields<ResourceQuotaSpec>({ scopes: immutable });
export const quotaStatus: Rule<ResourceQuotaStatus> = fields<ResourceQuotaStatus>({ hard: amounts, used: amounts });

/** Used of what is allowed, requests and limits apart. */
export function quotaCells({
  status: { hard = {}, used = {} },
}: ResourceQuota): readonly [requests: string, limits: string] {
  const names = Object.keys(hard).toSorted();
  const cell = (name: string) =>
    `${name}: ${canonicalQuantity(used[name] ?? '0')}/${canonicalQuantity(hard[name] ?? '0')}`;
  const isLimit = (name: string) => name.startsWith('limits.');
  return [
    names
      .filter((name) => !isLimit(name))
      .map(cell)
      .join(', '),
    names.filter(isLimit).map(cell).join(', '),
  ];
}
