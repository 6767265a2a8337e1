import type { Pod } from '@kubernode/api/core/v1';
import { plugin, scoreMax, Verdict, type ClusterChange } from '../framework.ts';
import type { NodeInfo } from '../node-info.ts';
import type { Amounts, PodInfo } from '../pod-info.ts';
import { nodeChanged } from './node-plugins.ts';

/** What the scores look at. */
const scored = ['cpu', 'memory'] as const;
const countOf = (amounts: Amounts, name: string) => amounts[name] ?? 0;

export const nodeResourcesFit = plugin({
  name: 'NodeResourcesFit',
  weight: 1,
  requeueOn: [
    { on: 'podDeleted' },
    { on: 'podUpdated', helps: shrinks },
    ...nodeChanged(({ status }) => status.allocatable),
  ],
  filter(pod, node) {
    const short = Object.keys(pod.requests).filter((name) => isShort(pod, node, name));
    const isFull = node.pods.length + 1 > countOf(node.allocatable, 'pods');
    if (short.length === 0 && !isFull) return undefined;
    const reasons = [...(isFull ? ['Too many pods'] : []), ...short.map((name) => `Insufficient ${name}`)];
    return new Verdict(
      reasons,
      short.some((name) => countOf(pod.requests, name) > countOf(node.allocatable, name)),
    );
  },
  /** The more is left of a node, the better (LeastAllocated). */
  score: (pod, nodes) =>
    nodes.map((node) => {
      const parts = scored.map((name) => {
        const capacity = countOf(node.allocatable, name);
        const used = countOf(node.scoredRequested, name) + countOf(pod.scoredRequests, name);
        return capacity === 0 || used > capacity ? 0 : Math.floor(((capacity - used) * scoreMax) / capacity);
      });
      return Math.floor(parts.reduce((sum, part) => sum + part, 0) / parts.length);
    }),
});

function isShort(pod: PodInfo, node: NodeInfo, name: string): boolean {
  const wanted = countOf(pod.requests, name);
  return wanted > 0 && wanted > countOf(node.allocatable, name) - countOf(node.requested, name);
}

/** A pod on a node ended, or was resized to less. */
function shrinks(change: ClusterChange): boolean {
  if (change.type !== 'podUpdated') return false;
  const text = (pod: Pod) => JSON.stringify(pod.spec.containers.map(({ resources }) => resources));
  return text(change.pod) !== text(change.previous);
}

/** The closer the shares of cpu and memory that are taken come to each other, the better. */
export const nodeResourcesBalancedAllocation = plugin({
  name: 'NodeResourcesBalancedAllocation',
  weight: 1,
  score(pod, nodes) {
    if (scored.every((name) => countOf(pod.requests, name) === 0)) return undefined;
    return nodes.map((node) => {
      const shares = scored.map((name) => {
        const used = countOf(node.requested, name) + countOf(pod.requests, name);
        return Math.min(1, used / Math.max(1, countOf(node.allocatable, name)));
      });
      const [cpu = 0, memory = 0] = shares;
      return Math.floor((1 - Math.abs(cpu - memory) / 2) * scoreMax);
    });
  },
});
