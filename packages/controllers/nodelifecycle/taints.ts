import type { Node, Taint } from '@kubernode/api/core/v1';
import { deepEqual, formatTime } from '@kubernode/machinery';

export const notReadyTaint = 'node.kubernetes.io/not-ready';
export const unreachableTaint = 'node.kubernetes.io/unreachable';
const unschedulableTaint = 'node.kubernetes.io/unschedulable';

const taintsOfConditions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReadyTaint, Unknown: unreachableTaint },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
};

const managedKeys = new Set([unschedulableTaint, ...Object.values(taintsOfConditions).flatMap(Object.values)]);

/** What the conditions and the cordon of a node ask for (KEP-382). Undefined where its taints say so already. */
export function noScheduleTaints({ spec, status }: Node, nowMs: number): Taint[] | undefined {
  const wanted = (status.conditions ?? []).flatMap(
    ({ type, status: value }) => taintsOfConditions[type]?.[value] ?? [],
  );
  if (spec.unschedulable) wanted.push(unschedulableTaint);
  const present = spec.taints ?? [];
  const isStale = ({ effect, key }: Taint) => effect === 'NoSchedule' && managedKeys.has(key) && !wanted.includes(key);
  const has = (name: string) => present.some(({ effect, key }) => effect === 'NoSchedule' && key === name);
  const missing = wanted.filter((key) => !has(key));
  if (missing.length === 0 && !present.some(isStale)) return undefined;
  const timeAdded = formatTime(nowMs);
  const added = missing.map((key): Taint => ({ key, effect: 'NoSchedule', timeAdded }));
  return [...present.filter((taint) => !isStale(taint)), ...added];
}

/** The taints with exactly the named one of the two that evict; with none of them for undefined. */
export function withNoExecuteTaint(
  { spec }: Node,
  key: typeof notReadyTaint | typeof unreachableTaint | undefined,
  nowMs: number,
): Taint[] | undefined {
  const present = spec.taints ?? [];
  const isOurs = (taint: Taint) =>
    taint.effect === 'NoExecute' && (taint.key === notReadyTaint || taint.key === unreachableTaint);
  const kept = present.filter((taint) => !isOurs(taint) || taint.key === key);
  const taints =
    key && !kept.some(isOurs) ? [...kept, { key, effect: 'NoExecute' as const, timeAdded: formatTime(nowMs) }] : kept;
  return deepEqual(taints, present) ? undefined : taints;
}

export function hasNoExecuteTaint({ spec }: Node, ...keys: readonly string[]): boolean {
  return (spec.taints ?? []).some(({ effect, key }) => effect === 'NoExecute' && keys.includes(key));
}
