import { quotaScopesMatch } from '@kubernode/api';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '@kubernode/api/core/v1';
import { compareQuantities } from '@kubernode/machinery';
import { Problems } from '../../component-config/problems.ts';
import type { AdmissionRequest } from '../../seams.ts';
import { pluginConfiguration } from '../configuration/plugin-configuration.ts';
import { increase, type Pertinent, type UsageChange } from './quota-evaluation.ts';
import { refuse, unclassified } from '../refuse.ts';

/** What of a resource may only be taken where a quota covers it. */
export interface LimitedResource {
  readonly apiGroup?: string | undefined;
  readonly resource: string;
  /** Parts of the names that usage is counted by. */
  readonly matchContains?: readonly string[] | undefined;
  readonly matchScopes?: readonly ScopedResourceSelectorRequirement[] | undefined;
}

const fields = {
  limitedResources: [
    {
      apiGroup: null,
      resource: null,
      matchContains: null,
      matchScopes: [{ scopeName: null, operator: null, values: null }],
    },
  ],
} as const;
const current = { group: 'apiserver.config.k8s.io', versions: ['v1'], kind: 'ResourceQuotaConfiguration', fields };
const legacy = {
  group: 'resourcequota.admission.k8s.io',
  versions: ['v1beta1', 'v1alpha1'],
  kind: 'Configuration',
  fields,
};

/** Reads `limitedResources` of the plugin's configuration. Throws with all fields that are wrong. */
export function readLimitedResources(value: unknown): readonly LimitedResource[] {
  const isLegacy = (value as { kind?: unknown } | undefined)?.kind === legacy.kind;
  const { limitedResources = [] } = pluginConfiguration<{ limitedResources: readonly LimitedResource[] }>(
    value,
    isLegacy ? legacy : current,
  );
  const problems = new Problems();
  for (const [index, { resource }] of (limitedResources ?? []).entries())
    if (!resource) problems.required(`limitedResources[${index}].resource`);
  problems.throwIfAny();
  return limitedResources ?? [];
}

interface Evaluated {
  readonly request: AdmissionRequest;
  readonly change: UsageChange;
  readonly quotas: readonly ResourceQuota[];
  readonly concerned: readonly Pertinent[];
}

/** Throws where a request takes what is limited, and no quota of the namespace covers it. */
export function checkLimited(limited: readonly LimitedResource[], evaluated: Evaluated): void {
  if (limited.length === 0) return;
  const { request, change, quotas, concerned } = evaluated;
  const { usage, before } = change;
  // What takes no more than before is let through.
  if (Object.keys(increase(usage, before, Object.keys(usage))).length === 0) return;
  const covered = new Set(concerned.flatMap(({ restricted }) => restricted));
  const lacking = limitedNames(limited, evaluated).filter((name) => !covered.has(name));
  if (lacking.length > 0) throw refuse(request, `insufficient quota to consume: ${lacking.sort().join(',')}`);
  const matches = (selector: ScopedResourceSelectorRequirement) => isInScope(selector, request);
  const coveredScopes = new Set(
    quotas
      .flatMap(selectorsOf)
      .filter(matches)
      .map(({ scopeName }) => scopeName),
  );
  const open = limited
    .flatMap(({ matchScopes = [] }) => matchScopes)
    .filter((selector) => matches(selector) && !coveredScopes.has(selector.scopeName));
  if (open.length > 0) throw unclassified(`insufficient quota to match these scopes: [${open.map(shown).join(' ')}]`);
}

/** Under which names the request takes something that is limited. */
function limitedNames(limited: readonly LimitedResource[], { request, change }: Evaluated): string[] {
  const { group, resource } = request.attributes;
  const own = limited.filter((entry) => (entry.apiGroup ?? '') === group && entry.resource === resource);
  const parts = own.flatMap(({ matchContains = [] }) => matchContains);
  return Object.entries(change.usage)
    .filter(([name, amount]) => compareQuantities(amount, 0) > 0 && parts.some((part) => name.includes(part)))
    .map(([name]) => name);
}

function isInScope(selector: ScopedResourceSelectorRequirement, { attributes, object }: AdmissionRequest): boolean {
  const quota = { spec: { scopeSelector: { matchExpressions: [selector] } } } as unknown as ResourceQuota;
  return attributes.group === '' && quotaScopesMatch(quota, attributes.resource, object!);
}

const selectorsOf = ({ spec }: ResourceQuota): readonly ScopedResourceSelectorRequirement[] => [
  ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' as const })),
  ...(spec?.scopeSelector?.matchExpressions ?? []),
];

/** As Go prints it. */
const shown = ({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement): string =>
  `{${scopeName} ${operator} [${values.join(' ')}]}`;
