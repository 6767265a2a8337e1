import type { FlowSchema, PriorityLevelConfiguration } from '@kubernode/api/flowcontrol/v1';
import { deepClone, type Clock } from '@kubernode/machinery';
import type { ClusterState } from '../seams.ts';
import { PriorityLevel } from './priority-level.ts';

const group = 'flowcontrol.apiserver.k8s.io';

/** A FlowSchema with the level that it refers to, and what is counted of its requests. */
export interface Flow {
  readonly name: string;
  readonly spec: FlowSchema['spec'];
  readonly level: PriorityLevel;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Configuration {
  /** In the order of their precedence; the last one takes everything. */
  readonly flows: readonly Flow[];
  readonly levels: ReadonlyMap<string, PriorityLevel>;
}

/**
 * What the cluster's objects say, carried over into the levels that are at work. Levels that are gone stay until they
 * are idle; the two mandatory levels and schemas are there even where their objects are not.
 */
export function digest(
  state: ClusterState,
  before: ReadonlyMap<string, PriorityLevel>,
  { clock, serverSeats }: { readonly clock: Clock; readonly serverSeats: number },
): Configuration {
  const levels = new Map<string, PriorityLevel>();
  const desired = state.list(group, 'prioritylevelconfigurations') as unknown as PriorityLevelConfiguration[];
  for (const configuration of [...desired.filter(isSound), ...mandatoryLevels]) {
    const { name } = configuration.metadata;
    if (levels.has(name)) continue;
    const level = before.get(name) ?? new PriorityLevel(configuration, clock);
    level.configuration = configuration;
    level.isQuiescing = false;
    levels.set(name, level);
  }
  for (const [name, level] of before) {
    if (levels.has(name) || level.queues.isIdle) continue;
    level.isQuiescing = true;
    levels.set(name, level);
  }
  let sharesSum = 0;
  for (const level of levels.values()) sharesSum += level.shares;
  for (const level of levels.values()) level.apportion(serverSeats, sharesSum);
  return { flows: flowsOf(state, levels), levels };
}

/** What validation would have refused is not followed. */
function isSound({ metadata, spec }: PriorityLevelConfiguration): boolean {
  if ((spec.type === 'Exempt') !== (metadata.name === 'exempt')) return false;
  if (spec.type === 'Exempt') return true;
  const response = spec.limited?.limitResponse;
  return response !== undefined && (response.type === 'Reject') === (response.queuing === undefined);
}

function flowsOf(state: ClusterState, levels: ReadonlyMap<string, PriorityLevel>): Flow[] {
  const schemas = (state.list(group, 'flowschemas') as unknown as FlowSchema[]).toSorted(
    (a, b) =>
      (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0) ||
      (a.metadata.name < b.metadata.name ? -1 : 1),
  );
  const names = new Set(schemas.map(({ metadata }) => metadata.name));
  if (!names.has('exempt')) schemas.unshift(exemptSchema);
  if (!names.has('catch-all')) schemas.push(catchAllSchema);
  return schemas.flatMap(({ spec, metadata }) => {
    const level = levels.get(spec.priorityLevelConfiguration.name);
    if (!level || level.isQuiescing) return [];
    const headers = {
      'x-kubernetes-pf-flowschema-uid': metadata.uid ?? '',
      'x-kubernetes-pf-prioritylevel-uid': level.configuration.metadata.uid ?? '',
    };
    // A copy: V8 walks frozen lists slowly, and these are walked for each request.
    return [{ name: metadata.name, spec: deepClone(spec), level, headers }];
  });
}

const all = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const groups = (...names: string[]) => names.map((name) => ({ kind: 'Group', group: { name } }));
const schemaOf = (name: string, matchingPrecedence: number, subjects: readonly object[]) =>
  ({
    metadata: { name },
    spec: { priorityLevelConfiguration: { name }, matchingPrecedence, rules: [{ subjects, ...all }] },
  }) as unknown as FlowSchema;

const exemptSchema = schemaOf('exempt', 1, groups('system:masters'));
const catchAllSchema = schemaOf('catch-all', 10_000, groups('system:unauthenticated', 'system:authenticated'));

const mandatoryLevels = [
  {
    metadata: { name: 'exempt' },
    spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  },
  {
    metadata: { name: 'catch-all' },
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
    },
  },
] as unknown as readonly PriorityLevelConfiguration[];
