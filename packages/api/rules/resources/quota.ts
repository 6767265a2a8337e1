import { canonicalQuantity, compareQuantities, table } from '@kubernode/machinery';
import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ResourceQuotaStatus,
  ScopedResourceSelectorRequirement,
} from '../../generated/types/core/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { invalid, required as requiredCause } from '../cause.ts';
import { isQuotaResource, type ResourceList, resourceName, resourceQuantity } from './resources.ts';
import { all, fields, type Rule } from '../rule.ts';

const scopes = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
  'VolumeAttributesClass',
];
const clashes = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

const podCounts = new Set(['pods']);
const podResources = new Set([
  'pods',
  ...['cpu', 'memory'].flatMap((name) => [name, `limits.${name}`, `requests.${name}`]),
]);
const claimResources = new Set(['persistentvolumeclaims', 'requests.storage']);

/** What can be limited in a scope; other scopes say nothing. */
const resourcesOfScope: Readonly<Record<string, ReadonlySet<string>>> = table({
  BestEffort: podCounts,
  CrossNamespacePodAffinity: podResources,
  NotBestEffort: podResources,
  NotTerminating: podResources,
  PriorityClass: podResources,
  Terminating: podResources,
  VolumeAttributesClass: claimResources,
});

/** The amounts of a quota, which are of what quotas can count. */
const amounts: Rule<ResourceList> = (list, path) =>
  Object.entries(list).flatMap(([name, quantity]) => {
    const at = `${path}[${name}]`;
    const found = [...resourceName(name, at)];
    if (!name.includes('/') && !isQuotaResource(name))
      found.push(invalid(at, name, 'must be a standard resource for quota'));
    return [...found, ...resourceQuantity(name)(quantity, at)];
  });

/** Whether there is a limited resource that a scope does not go with. */
const isMisfit = (scope: string, hard: ResourceList) =>
  Object.keys(hard).some((name) => isQuotaResource(name) && resourcesOfScope[scope]?.has(name) === false);

/** What is wrong with single scopes is said of all of them, and thus once. */
function scopeCauses(names: readonly string[], hard: ResourceList, at: string, value: unknown): FieldCause[] {
  const details = new Set<string>();
  for (const scope of new Set(names)) {
    if (!scopes.includes(scope)) details.add('unsupported scope');
    if (isMisfit(scope, hard)) details.add('unsupported scope applied to resource');
  }
  return [...details].map((detail) => invalid(at, value, detail));
}

const clashCauses = (names: readonly string[], at: string, value: unknown) =>
  clashes
    .filter((pair) => pair.every((scope) => names.includes(scope)))
    .map(() => invalid(at, value, 'conflicting scopes'));

const scopeNames: Rule<ResourceQuotaSpec> = ({ hard = {}, scopes: list = [] }, path) => {
  const at = `${path}.scopes`;
  return [...scopeCauses(list, hard, at, list), ...clashCauses(list, at, list)];
};

/** Scopes that have values; the others just are. */
const scopesWithValues = new Set(['PriorityClass', 'VolumeAttributesClass']);

const requirement: Rule<ScopedResourceSelectorRequirement> = ({ scopeName, operator, values = [] }, path) => {
  const found: FieldCause[] = scopes.includes(scopeName)
    ? []
    : [invalid(`${path}.scopeName`, scopeName, 'unsupported scope')];
  if (scopes.includes(scopeName) && !scopesWithValues.has(scopeName) && operator !== 'Exists') {
    const detail =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
      'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';
    found.push(invalid(`${path}.operator`, operator, detail));
  }
  if (operator === 'In' || operator === 'NotIn') {
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    if (values.length === 0) found.push(requiredCause(`${path}.values`, detail));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    if (values.length > 0) found.push(invalid(`${path}.values`, values, detail));
  } else found.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  return found;
};

const scopeSelector: Rule<ResourceQuotaSpec> = ({ hard = {}, scopes: list, scopeSelector: selector }, path) => {
  if (!selector) return [];
  const at = `${path}.scopeSelector.matchExpressions`;
  const expressions = selector.matchExpressions ?? [];
  const names = expressions.map(({ scopeName }) => scopeName);
  const known = names.filter((name) => scopes.includes(name));
  return [
    ...expressions.flatMap((one) => requirement(one, at)),
    ...scopeCauses(known, hard, at, selector),
    ...clashCauses(names, at, list),
  ];
};

/** Causes of a scope selector are at the list, without an index, as upstream's. */
export const quotaSpec: Rule<ResourceQuotaSpec> = all<ResourceQuotaSpec>(
  fields<ResourceQuotaSpec>({ hard: amounts }),
  scopeNames,
  scopeSelector,
);

/** Scopes stay, in whatever order. */
export const quotaSpecUpdate: Rule<ResourceQuotaSpec> = ({ scopes: after = [] }, path, old) => {
  const before = new Set(old?.scopes);
  const isSame = new Set(after).size === before.size && after.every((scope) => before.has(scope));
  return isSame ? [] : [invalid(`${path}.scopes`, after, 'field is immutable')];
};

export const quotaStatus: Rule<ResourceQuotaStatus> = fields<ResourceQuotaStatus>({ hard: amounts, used: amounts });

/** What may be asked for should not be more than what may be used (a quota's requests and limits). */
export function quotaWarnings({ spec: { hard = {} } }: ResourceQuota): readonly string[] {
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
    const hasShortName = name === 'cpu' || name === 'memory';
    const request = hard[`requests.${name}`] === undefined && hasShortName ? name : `requests.${name}`;
    const asked = hard[request];
    const limit = hard[`limits.${name}`];
    if (asked === undefined || limit === undefined || compareQuantities(asked, limit) <= 0) return [];
    const values = [canonicalQuantity(asked), canonicalQuantity(limit)];
    return [`ResourceQuota ${request} (${values[0]}) should be less than limits.${name} (${values[1]})`];
  });
}

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
