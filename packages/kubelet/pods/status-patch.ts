import type { PodStatus } from '@kubernode/api/core/v1';
import { deepEqual } from '@kubernode/machinery';

/** Fields that only the kubelet writes: one that is no longer there is taken away. */
const ownFields = [
  'observedGeneration',
  'phase',
  'message',
  'reason',
  'hostIP',
  'hostIPs',
  'podIP',
  'podIPs',
  'startTime',
  'initContainerStatuses',
  'containerStatuses',
  'ephemeralContainerStatuses',
  'qosClass',
] as const satisfies readonly (keyof PodStatus)[];

/** Lists that a strategic merge patch would merge by key. */
const mergedLists: ReadonlySet<string> = new Set(['hostIPs', 'podIPs']);

/**
 * The strategic merge patch that turns one status into the other: only what differs, conditions merged by type, so that
 * nobody else's are touched. Undefined when nothing differs.
 */
export function statusPatch(from: PodStatus, to: PodStatus): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  for (const field of ownFields) {
    if (deepEqual(from[field], to[field])) continue;
    const value = to[field];
    if (value === undefined) patch[field] = null;
    else patch[field] = mergedLists.has(field) ? [{ $patch: 'replace' }, ...(value as unknown[])] : value;
  }
  const conditions = (to.conditions ?? []).filter((condition) => {
    const old = from.conditions?.find(({ type }) => type === condition.type);
    return !deepEqual(old, condition);
  });
  if (conditions.length > 0) {
    patch['conditions'] = conditions.map((condition) => ({ message: null, reason: null, ...condition }));
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}
