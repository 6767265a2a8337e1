import type { Node } from '@kubernode/api/core/v1';
import { readyCondition } from './health.ts';

export type ZoneState = 'Normal' | 'PartialDisruption' | 'FullDisruption';

const excludedLabel = 'node.kubernetes.io/exclude-disruption';
/** Upstream's `--unhealthy-zone-threshold`, `--large-cluster-size-threshold` and the rates, in nodes a second. */
const unhealthyShareMin = 0.55;
const unhealthyNodesMin = 3;
const largeZoneNodes = 50;
const usualRate = 0.1;
const reducedRate = 0.01;

export function zoneOf({ metadata }: Node): string {
  const region = metadata.labels?.['topology.kubernetes.io/region'] ?? '';
  const zone = metadata.labels?.['topology.kubernetes.io/zone'] ?? '';
  return region || zone ? `${region}:${zone}` : '';
}

/** How much of each zone is down. Nodes that are excluded from disruption do not count. */
export function zoneStates(nodes: readonly Node[]): Map<string, { state: ZoneState; nodes: number }> {
  const counted = nodes.filter(({ metadata }) => metadata.labels?.[excludedLabel] === undefined);
  const states = new Map<string, { state: ZoneState; nodes: number }>();
  for (const [zone, members] of Map.groupBy(counted, zoneOf)) {
    const ready = members.filter((node) => readyCondition(node)?.status === 'True').length;
    states.set(zone, { state: stateOf(ready, members.length - ready), nodes: members.length });
  }
  return states;
}

function stateOf(ready: number, unhealthy: number): ZoneState {
  if (ready === 0 && unhealthy > 0) return 'FullDisruption';
  const isPartial = unhealthy >= unhealthyNodesMin && unhealthy / (ready + unhealthy) >= unhealthyShareMin;
  return isPartial ? 'PartialDisruption' : 'Normal';
}

/**
 * How many nodes of a zone may get their NoExecute taint in a second. Where everything is down, it is this controller
 * that cannot see: then nothing is evicted.
 */
export function taintsPerSecond(state: ZoneState, nodes: number, isAllDown: boolean): number {
  if (isAllDown) return 0;
  if (state !== 'PartialDisruption') return usualRate;
  return nodes > largeZoneNodes ? reducedRate : 0;
}
