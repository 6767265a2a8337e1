import { isDeepStrictEqual } from 'node:util';
import type { Node } from '@kubernode/api/core/v1';
import { plugin, refuse, refuseForGood, type ClusterChange, type Hint } from '../framework.ts';
import { tolerates } from '../tolerations.ts';

/** A change of a node counts only where the part that the plugin reads is another one. */
export function nodeChanged(part: (node: Node) => unknown): readonly Hint[] {
  const helps = (change: ClusterChange) =>
    change.type === 'nodeUpdated' && !isDeepStrictEqual(part(change.node), part(change.previous));
  return [{ on: 'nodeAdded' }, { on: 'nodeUpdated', helps }];
}

const unschedulableTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

export const nodeUnschedulable = plugin({
  name: 'NodeUnschedulable',
  requeueOn: nodeChanged(({ spec }) => spec.unschedulable),
  filter: ({ pod }, { node }) =>
    node.spec.unschedulable && !tolerates(pod.spec.tolerations, unschedulableTaint)
      ? refuseForGood('node(s) were unschedulable')
      : undefined,
});

export const nodeName = plugin({
  name: 'NodeName',
  requeueOn: [{ on: 'nodeAdded' }],
  filter: ({ pod }, { name }) =>
    pod.spec.nodeName && pod.spec.nodeName !== name
      ? refuseForGood("node(s) didn't match the requested node name")
      : undefined,
});

export const nodePorts = plugin({
  name: 'NodePorts',
  requeueOn: [{ on: 'podDeleted' }, { on: 'nodeAdded' }],
  filter: ({ hostPorts }, node) =>
    node.hasPortConflict(hostPorts) ? refuse("node(s) didn't have free ports for the requested pod ports") : undefined,
});

export const schedulingGates = plugin({
  name: 'SchedulingGates',
  preEnqueue: ({ spec }) =>
    spec.schedulingGates?.length
      ? `waiting for scheduling gates: [${spec.schedulingGates.map(({ name }) => name).join(' ')}]`
      : undefined,
});
