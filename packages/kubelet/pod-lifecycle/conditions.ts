import type { ContainerStatus, Pod, PodCondition, PodStatus } from '@kubernode/api/core/v1';
import { isSidecar } from './containers-of.ts';
import type { PodPhase } from './phase.ts';
import { sandboxNeeded } from './plan.ts';
import type { RuntimePod } from './runtime-pod.ts';

type Verdict = Pick<PodCondition, 'status' | 'reason' | 'message'>;

const yes: Verdict = { status: 'True' };

/** The conditions that the kubelet owns; all others belong to somebody else and are kept as they are. */
const kubeletConditions: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
]);

/**
 * All conditions of the pod: foreign ones first, then the kubelet's. `lastTransitionTime` stays while the status does.
 */
export function podConditions(
  pod: Pod,
  previous: PodStatus,
  runtime: RuntimePod,
  statuses: readonly ContainerStatus[],
  phase: PodPhase,
  now: string,
): PodCondition[] {
  const foreign = (pod.status.conditions ?? []).filter(({ type }) => !kubeletConditions.has(type));
  const ready = containersReady(pod, statuses, phase);
  const own: [string, Verdict][] = [
    ['PodReadyToStartContainers', sandboxNeeded(pod, runtime).needed ? { status: 'False' } : yes],
    ['Initialized', initialized(pod, statuses, phase)],
    ['Ready', ready.status === 'True' ? gatesReady(pod, foreign) : ready],
    ['ContainersReady', ready],
    ['PodScheduled', yes],
  ];
  return [...foreign, ...own.map(([type, verdict]) => condition(type, verdict, pod, previous, now))];
}

function condition(type: string, verdict: Verdict, pod: Pod, previous: PodStatus, now: string): PodCondition {
  const old = previous.conditions?.find((candidate) => candidate.type === type);
  const kept = old?.status === verdict.status ? old.lastTransitionTime : undefined;
  return {
    type,
    ...(pod.metadata.generation ? { observedGeneration: pod.metadata.generation } : {}),
    status: verdict.status,
    lastTransitionTime: kept ?? now,
    ...(verdict.reason ? { reason: verdict.reason } : {}),
    ...(verdict.message ? { message: verdict.message } : {}),
  };
}

function containersReady(pod: Pod, statuses: readonly ContainerStatus[], phase: PodPhase): Verdict {
  const unknown: string[] = [];
  const unready: string[] = [];
  const counted = [...(pod.spec.initContainers ?? []).filter(isSidecar), ...pod.spec.containers];
  for (const { name } of counted) {
    const status = statuses.find((candidate) => candidate.name === name);
    if (!status) unknown.push(name);
    else if (!status.ready) unready.push(name);
  }
  if (phase === 'Succeeded' && unknown.length === 0) return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const message = listing(unknown, unready, 'unready');
  return message ? { status: 'False', reason: 'ContainersNotReady', message } : yes;
}

function gatesReady(pod: Pod, conditions: readonly PodCondition[]): Verdict {
  const messages = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = conditions.find(({ type }) => type === conditionType);
    if (!gate) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (gate.status === 'True') return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`];
  });
  if (messages.length === 0) return yes;
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: messages.join(', ') };
}

function initialized(pod: Pod, statuses: readonly ContainerStatus[], phase: PodPhase): Verdict {
  const unknown: string[] = [];
  const incomplete: string[] = [];
  for (const container of pod.spec.initContainers ?? []) {
    const status = statuses.find(({ name }) => name === container.name);
    if (!status) unknown.push(container.name);
    else if (isSidecar(container) ? !status.started : !status.ready) incomplete.push(container.name);
  }
  if (phase === 'Succeeded' && unknown.length === 0) return { status: 'True', reason: 'PodCompleted' };
  if (anyRegularStarted(pod, statuses)) return yes;
  const message = listing(unknown, incomplete, 'incomplete');
  return message ? { status: 'False', reason: 'ContainersNotInitialized', message } : yes;
}

/** A restarting sidecar does not take `Initialized` back. */
export function anyRegularStarted(pod: Pod, statuses: readonly ContainerStatus[]): boolean {
  return pod.spec.containers.some(({ name }) => {
    const status = statuses.find((candidate) => candidate.name === name);
    return Boolean(status?.lastState.terminated ?? status?.state.running ?? status?.state.terminated);
  });
}

/** Go prints a list of strings as `[a b]`. */
function listing(unknown: readonly string[], other: readonly string[], word: string): string {
  const parts: string[] = [];
  if (unknown.length > 0) parts.push(`containers with unknown status: [${unknown.join(' ')}]`);
  if (other.length > 0) parts.push(`containers with ${word} status: [${other.join(' ')}]`);
  return parts.join(', ');
}
