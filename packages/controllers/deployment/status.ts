import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '@kubernode/api/apps/v1';
import { formatTime, parseTime } from '@kubernode/machinery';
import type { Sets } from './decide.ts';
import { maxUnavailable, sizeOf, total, wantedBy } from './replica-sets.ts';

type Conditions = readonly DeploymentCondition[];
type NewCondition = Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Longer deadlines mean none, as upstream's default of none is written down. */
const deadlineSecondsMax = 2 ** 31 - 1;

/** The numbers and the condition Available that the sets make; other conditions are kept. */
export function numbersOf(deployment: Deployment, { fresh, old }: Sets, nowMs: number): DeploymentStatus {
  const all = [...old, ...(fresh ? [fresh] : [])];
  const available = total(all, ({ status }) => status.availableReplicas);
  const enough = available >= wantedBy(deployment) - maxUnavailable(deployment);
  const condition: NewCondition = enough
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
  const { collisionCount, conditions = [] } = deployment.status;
  return {
    observedGeneration: deployment.metadata.generation,
    replicas: total(all, ({ status }) => status.replicas) || undefined,
    updatedReplicas: fresh?.status.replicas || undefined,
    readyReplicas: total(all, ({ status }) => status.readyReplicas) || undefined,
    availableReplicas: available || undefined,
    unavailableReplicas: Math.max(0, total(all, sizeOf) - available) || undefined,
    terminatingReplicas: total(all, ({ status }) => status.terminatingReplicas),
    conditions: withCondition(conditions, condition, nowMs),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  };
}

/** The numbers, and how the rollout goes: complete, moving, or stuck beyond its deadline. */
export function rolloutStatus(deployment: Deployment, sets: Sets, nowMs: number): DeploymentStatus {
  const status = numbersOf(deployment, sets, nowMs);
  const progressed = progress(deployment, status, sets.fresh, nowMs);
  return { ...status, conditions: withFailure(progressed, sets, nowMs) };
}

function progress(
  deployment: Deployment,
  status: DeploymentStatus,
  fresh: ReplicaSet | undefined,
  nowMs: number,
): Conditions {
  const conditions = status.conditions ?? [];
  if (!hasDeadline(deployment)) return conditions.filter(({ type }) => type !== 'Progressing');
  const current = conditions.find(({ type }) => type === 'Progressing');
  if (status.replicas === status.updatedReplicas && current?.reason === 'NewReplicaSetAvailable') return conditions;
  const name = fresh
    ? `ReplicaSet ${JSON.stringify(fresh.metadata.name)}`
    : `Deployment ${JSON.stringify(deployment.metadata.name)}`;
  const say = (value: 'True' | 'False', reason: string, what: string): NewCondition => {
    return { type: 'Progressing', status: value, reason, message: `${name} ${what}.` };
  };
  if (isComplete(deployment, status)) {
    return withCondition(conditions, say('True', 'NewReplicaSetAvailable', 'has successfully progressed'), nowMs);
  }
  if (isMoving(deployment.status, status)) {
    const condition = say('True', 'ReplicaSetUpdated', 'is progressing');
    // Each move counts anew, so the time of the last update is written even where nothing else changes.
    const others = conditions.filter(({ type }) => type !== 'Progressing');
    const kept = current?.status === 'True' ? current.lastTransitionTime : undefined;
    const [written] = withCondition([], condition, nowMs);
    return written ? [...others, { ...written, lastTransitionTime: kept ?? written.lastTransitionTime }] : others;
  }
  if (isTimedOut(deployment, current, nowMs)) {
    return withCondition(conditions, say('False', 'ProgressDeadlineExceeded', 'has timed out progressing'), nowMs);
  }
  return conditions;
}

/** All pods are of the present template, available, and no others are left. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = wantedBy(deployment);
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function isMoving(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const outdated = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus) => replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    outdated(after) < outdated(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isTimedOut(deployment: Deployment, current: DeploymentCondition | undefined, nowMs: number): boolean {
  if (!current || current.reason === 'NewReplicaSetAvailable') return false;
  if (current.reason === 'ProgressDeadlineExceeded') return true;
  return deadlineMs(deployment, current) < nowMs;
}

function deadlineMs({ spec }: Deployment, { lastUpdateTime = '' }: DeploymentCondition): number {
  return (parseTime(lastUpdateTime) ?? 0) + (spec.progressDeadlineSeconds ?? 0) * 1000;
}

export function hasDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds < deadlineSecondsMax;
}

/** When to look again whether the rollout is stuck; undefined where it need not be looked at. */
export function checkAgainMs(deployment: Deployment, status: DeploymentStatus, nowMs: number): number | undefined {
  const current = status.conditions?.find(({ type }) => type === 'Progressing');
  if (!hasDeadline(deployment) || deployment.spec.paused || !current || isComplete(deployment, status))
    return undefined;
  if (current.reason === 'NewReplicaSetAvailable' || current.reason === 'ProgressDeadlineExceeded') return undefined;
  return Math.max(0, deadlineMs(deployment, current) - nowMs) + 1000;
}

/** A set that cannot make its pods shows on the deployment, too. */
function withFailure(conditions: Conditions, { fresh, old }: Sets, nowMs: number): DeploymentCondition[] {
  const failing = [fresh, ...old].flatMap(
    (set) => set?.status.conditions?.filter(({ type }) => type === 'ReplicaFailure') ?? [],
  );
  const others = conditions.filter(({ type }) => type !== 'ReplicaFailure');
  const [failure] = failing;
  if (!failure) return others;
  const known = conditions.filter(({ type }) => type === 'ReplicaFailure');
  const { reason, message } = failure;
  return withCondition(
    [...others, ...known],
    { type: 'ReplicaFailure', status: failure.status, reason, message },
    nowMs,
  );
}

/** Puts a condition in place; its times stay where neither status nor reason changed. */
export function withCondition(conditions: Conditions, next: NewCondition, nowMs: number): DeploymentCondition[] {
  const current = conditions.find(({ type }) => type === next.type);
  if (current && current.status === next.status && current.reason === next.reason) return [...conditions];
  const time = formatTime(nowMs);
  const lastTransitionTime = current?.status === next.status ? current.lastTransitionTime : time;
  return [
    ...conditions.filter(({ type }) => type !== next.type),
    { ...next, lastUpdateTime: time, lastTransitionTime },
  ];
}
