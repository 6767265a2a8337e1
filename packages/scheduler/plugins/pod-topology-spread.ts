import type { TopologySpreadConstraint } from '@kubernode/api/core/v1';
import { labelSelectorMatcher, type LabelMatcher } from '@kubernode/machinery';
import { plugin, refuse, refuseForGood, scoreMax } from '../framework.ts';
import type { NodeInfo } from '../node-info.ts';
import { matchesNodeAffinity } from '../node-selector.ts';
import type { PodInfo } from '../pod-info.ts';
import { tolerates } from '../tolerations.ts';
import { nodeChanged } from './node-plugins.ts';

interface Constraint {
  readonly source: TopologySpreadConstraint;
  readonly matcher: LabelMatcher;
  readonly countsItself: boolean;
}

interface Prepared {
  readonly constraints: readonly Constraint[];
  /** For each constraint: domain → how many matching pods it has. */
  readonly counts: readonly ReadonlyMap<string, number>[];
}

const mismatch = "node(s) didn't match pod topology spread constraints";

export const podTopologySpread = plugin<Prepared>({
  name: 'PodTopologySpread',
  weight: 2,
  requeueOn: [
    { on: 'podAdded', helps: (change, pod) => 'pod' in change && change.pod.metadata.namespace === pod.namespace },
    { on: 'podUpdated', helps: (change, pod) => 'pod' in change && change.pod.metadata.namespace === pod.namespace },
    { on: 'podDeleted', helps: (change, pod) => 'pod' in change && change.pod.metadata.namespace === pod.namespace },
    ...nodeChanged(({ metadata, spec }) => [metadata.labels, spec.taints]),
  ],
  prepare(pod, { nodes }) {
    const constraints = constraintsOf(pod, 'DoNotSchedule');
    return { constraints, counts: constraints.map((constraint) => countDomains(pod, constraint, constraints, nodes)) };
  },
  filter(_pod, node, { constraints, counts }) {
    for (const [index, constraint] of constraints.entries()) {
      const { topologyKey, maxSkew, minDomains } = constraint.source;
      const domain = node.labels[topologyKey];
      if (domain === undefined) return refuseForGood(`${mismatch} (missing required label)`);
      const domains = counts[index] ?? new Map<string, number>();
      const least = domains.size < (minDomains ?? 1) ? 0 : Math.min(...domains.values());
      const here = domains.get(domain) ?? 0;
      if (here + (constraint.countsItself ? 1 : 0) - least > maxSkew) return refuse(mismatch);
    }
  },
  adjust(prepared, pod, other, node, by) {
    const { constraints, counts } = prepared;
    if (other.namespace !== pod.namespace || !hasAllKeys(node, constraints)) return prepared;
    const changed = counts.map((domains, index) => {
      const constraint = constraints[index];
      const domain = node.labels[constraint?.source.topologyKey ?? ''];
      if (!constraint || domain === undefined || !constraint.matcher.matches(other.labels)) return domains;
      return new Map(domains).set(domain, (domains.get(domain) ?? 0) + by);
    });
    return { constraints, counts: changed };
  },
  /** The fewer matching pods in a node's domains, the better; few domains weigh less than many. */
  score(pod, nodes, snapshot) {
    const constraints = constraintsOf(pod, 'ScheduleAnyway');
    if (constraints.length === 0) return undefined;
    const counted = constraints.map((constraint) => countDomains(pod, constraint, constraints, snapshot.nodes));
    const raw = nodes.map((node) => {
      if (constraints.some(({ source }) => node.labels[source.topologyKey] === undefined)) return undefined;
      return constraints.reduce((sum, { source }, index) => {
        const domains = counted[index] ?? new Map<string, number>();
        const here = domains.get(node.labels[source.topologyKey] ?? '') ?? 0;
        return sum + here * Math.log(domains.size + 2) + (source.maxSkew - 1);
      }, 0);
    });
    const known = raw.filter((score) => score !== undefined).map(Math.round);
    const [least, most] = [Math.min(...known), Math.max(...known)];
    return raw.map((score) => {
      if (score === undefined) return 0;
      return most === 0 ? scoreMax : Math.floor((scoreMax * (most + least - Math.round(score))) / most);
    });
  },
});

function constraintsOf(pod: PodInfo, whenUnsatisfiable: string): Constraint[] {
  const all = pod.pod.spec.topologySpreadConstraints ?? [];
  return all
    .filter((source) => source.whenUnsatisfiable === whenUnsatisfiable)
    .map((source) => {
      const matcher = labelSelectorMatcher(source.labelSelector);
      return { source, matcher, countsItself: matcher.matches(pod.labels) };
    });
}

/** Matching pods in each domain that takes part: nodes that the pod could be on, and that have all the keys. */
function countDomains(
  pod: PodInfo,
  { source, matcher }: Constraint,
  constraints: readonly Constraint[],
  nodes: readonly NodeInfo[],
): Map<string, number> {
  const domains = new Map<string, number>();
  for (const node of nodes) {
    const domain = node.labels[source.topologyKey];
    if (domain === undefined || !hasAllKeys(node, constraints) || !isIncluded(pod, node, source)) continue;
    let matching = 0;
    for (const other of node.pods) {
      if (other.namespace === pod.namespace && !other.isTerminating && matcher.matches(other.labels)) matching++;
    }
    domains.set(domain, (domains.get(domain) ?? 0) + matching);
  }
  return domains;
}

function hasAllKeys(node: NodeInfo, constraints: readonly Constraint[]): boolean {
  return constraints.every(({ source }) => node.labels[source.topologyKey] !== undefined);
}

/** nodeAffinityPolicy (default Honor) and nodeTaintsPolicy (default Ignore), KEP-3094. */
function isIncluded({ pod }: PodInfo, node: NodeInfo, source: TopologySpreadConstraint): boolean {
  if ((source.nodeAffinityPolicy ?? 'Honor') === 'Honor' && !matchesNodeAffinity(pod, node)) return false;
  if ((source.nodeTaintsPolicy ?? 'Ignore') !== 'Honor') return true;
  const hard = (node.node.spec.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
  return hard.every((taint) => tolerates(pod.spec.tolerations, taint));
}
