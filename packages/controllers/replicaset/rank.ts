import type { Pod } from '@kubernode/api/core/v1';
import { parseTime } from '@kubernode/machinery';
import { isReady, readyCondition, restartsOf } from '../shared/pods.ts';

const costAnnotation = 'controller.kubernetes.io/pod-deletion-cost';
const phases = ['Pending', 'Unknown', 'Running'];

/**
 * The pods that go first when there are too many: without a node, not running, not ready, of low deletion cost, beside
 * more of their kind on a node, ready for a shorter time, restarted more often, newer (upstream's ActivePodsWithRanks).
 * `related`: pods of the same application, to count how many share a node.
 */
export function podsToDelete(pods: readonly Pod[], related: readonly Pod[], count: number, nowMs: number): Pod[] {
  const onNode = new Map<string, number>();
  for (const { spec } of related) if (spec.nodeName) onNode.set(spec.nodeName, (onNode.get(spec.nodeName) ?? 0) + 1);
  const ranked = pods.map((pod) => ({ pod, rank: rankOf(pod, onNode, nowMs) }));
  ranked.sort((a, b) => compare(a.rank, b.rank));
  return ranked.slice(0, count).map(({ pod }) => pod);
}

/** Smaller goes first, compared from left to right. */
function rankOf(pod: Pod, onNode: ReadonlyMap<string, number>, nowMs: number): number[] {
  const ready = isReady(pod);
  const readySince = ready ? timeOf(readyCondition(pod)?.lastTransitionTime) : undefined;
  return [
    pod.spec.nodeName ? 1 : 0,
    phases.indexOf(pod.status.phase ?? 'Pending'),
    ready ? 1 : 0,
    deletionCost(pod),
    -(onNode.get(pod.spec.nodeName ?? '') ?? 0),
    magnitude(readySince, nowMs),
    -restartsOf(pod),
    magnitude(timeOf(pod.metadata.creationTimestamp), nowMs),
  ];
}

function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[costAnnotation] ?? '0';
  return /^(-?[1-9]\d{0,9}|0)$/.test(text) ? Number(text) : 0;
}

const timeOf = (time: string | undefined) => (time ? parseTime(time) : undefined);

/** Ages differ only where their logarithm does, so that pods of about the same age are chosen among by chance. */
function magnitude(sinceMs: number | undefined, nowMs: number): number {
  if (sinceMs === undefined) return -1;
  const ageSeconds = (nowMs - sinceMs) / 1000;
  return ageSeconds < 1 ? 0 : 1 + Math.floor(Math.log2(ageSeconds));
}

function compare(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, i) => value !== b[i]);
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
}
