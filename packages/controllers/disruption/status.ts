import type { Pod } from '@kubernode/api/core/v1';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '@kubernode/api/policy/v1';
import { formatTime, parseTime, resolveIntOrPercent } from '@kubernode/machinery';
import { isReady } from '../shared/pods.ts';

/** An evicted pod that is still not deleted after that counts as there again. */
const deletionTimeoutMs = 120_000;

export interface DisruptedPods {
  readonly pods: Record<string, string>;
  /** Pods that were evicted, and never deleted. */
  readonly expired: readonly Pod[];
  /** When the next one expires. */
  readonly nextMs: number | undefined;
}

/** Evicted pods whose deletion is not seen yet. */
export function disruptedPods({ status }: PodDisruptionBudget, pods: readonly Pod[], nowMs: number): DisruptedPods {
  const kept: Record<string, string> = {};
  const expired: Pod[] = [];
  let nextMs: number | undefined;
  for (const pod of pods) {
    const time = status?.disruptedPods?.[pod.metadata.name];
    if (!time || pod.metadata.deletionTimestamp) continue;
    const untilMs = (parseTime(time) ?? 0) + deletionTimeoutMs;
    if (untilMs < nowMs) {
      expired.push(pod);
      continue;
    }
    kept[pod.metadata.name] = time;
    nextMs = Math.min(nextMs ?? untilMs, untilMs);
  }
  return { pods: kept, expired, nextMs };
}

export interface Expectation {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** How many pods there should be, and how many of them ready. `scale` is what their controllers ask for together. */
export function expectation({ spec }: PodDisruptionBudget, pods: readonly Pod[], scale: number): Expectation {
  const { maxUnavailable, minAvailable } = spec;
  if (maxUnavailable !== undefined) {
    const unavailable = resolveIntOrPercent(maxUnavailable, scale, { roundUp: true });
    return { expectedPods: scale, desiredHealthy: Math.max(0, scale - unavailable) };
  }
  if (minAvailable === undefined) return { expectedPods: pods.length, desiredHealthy: 0 };
  if (typeof minAvailable === 'number') return { expectedPods: pods.length, desiredHealthy: minAvailable };
  return { expectedPods: scale, desiredHealthy: resolveIntOrPercent(minAvailable, scale, { roundUp: true }) };
}

/** Whether the controllers' scale matters: an integer `minAvailable` stands for itself. */
export function needsScale({ spec }: PodDisruptionBudget): boolean {
  return spec.maxUnavailable !== undefined || typeof spec.minAvailable === 'string';
}

export function statusOf(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  { expectedPods, desiredHealthy }: Expectation,
  disrupted: Readonly<Record<string, string>>,
  nowMs: number,
): PodDisruptionBudgetStatus {
  const currentHealthy = pods.filter(
    (pod) => pod.metadata.deletionTimestamp === undefined && disrupted[pod.metadata.name] === undefined && isReady(pod),
  ).length;
  const allowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  return {
    ...conditionsWith(budget, allowed > 0 ? 'SufficientPods' : 'InsufficientPods', '', nowMs),
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed: allowed,
    observedGeneration: budget.metadata.generation ?? 0,
    ...(Object.keys(disrupted).length > 0 ? { disruptedPods: { ...disrupted } } : {}),
  };
}

/** Where nobody knows how many pods there should be, none may be disrupted. */
export function failedStatus(budget: PodDisruptionBudget, message: string, nowMs: number): PodDisruptionBudgetStatus {
  const conditions = conditionsWith(budget, 'SyncFailed', message, nowMs);
  return { ...budget.status, ...conditions, disruptionsAllowed: 0 };
}

function conditionsWith(
  { metadata, status }: PodDisruptionBudget,
  reason: 'SufficientPods' | 'InsufficientPods' | 'SyncFailed',
  message: string,
  nowMs: number,
): Pick<PodDisruptionBudgetStatus, 'conditions'> {
  const type = 'DisruptionAllowed';
  const value = reason === 'SufficientPods' ? 'True' : 'False';
  const before = status?.conditions?.find((condition) => condition.type === type);
  const lastTransitionTime = before?.status === value ? before.lastTransitionTime : formatTime(nowMs);
  const condition = {
    type,
    status: value,
    reason,
    message,
    lastTransitionTime,
    observedGeneration: metadata.generation ?? 0,
  } as const;
  const others = status?.conditions?.filter((other) => other.type !== type) ?? [];
  return { conditions: [...others, condition] };
}
