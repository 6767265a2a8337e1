import type { Container, ContainerStatus, Pod, PodStatus } from '@kubernode/api/core/v1';
import { isSidecar } from './containers-of.ts';
import { restartsAfterExit } from './restart-policy.ts';

export type PodPhase = NonNullable<PodStatus['phase']>;

interface Count {
  pendingInit: number;
  pendingSidecars: number;
  failedInit: number;
  unknown: number;
  running: number;
  waiting: number;
  stopped: number;
  stoppedForGood: number;
  succeeded: number;
}

/**
 * The phase that the containers' statuses add up to (upstream: getPhase).
 * `ending`: nothing will be restarted, whatever the policy. `initialized`: a regular container ran or runs.
 */
export function podPhase(
  pod: Pod,
  statuses: readonly ContainerStatus[],
  { ending, initialized }: { readonly ending: boolean; readonly initialized: boolean },
): PodPhase {
  const count = countContainers(pod, new Map(statuses.map((status) => [status.name, status])));
  if (count.failedInit > 0) return 'Failed';
  if (count.pendingInit > 0 || (count.pendingSidecars > 0 && !initialized) || count.waiting > 0) return 'Pending';
  if (count.unknown > 0) return 'Pending';
  if (count.running > 0) return 'Running';
  if (count.stopped === 0) return 'Pending';
  const restarting = !ending && count.stopped !== count.stoppedForGood;
  if (restarting) return 'Running';
  return count.stopped === count.succeeded ? 'Succeeded' : 'Failed';
}

function countContainers(pod: Pod, statuses: ReadonlyMap<string, ContainerStatus>): Count {
  const count: Count = {
    pendingInit: 0,
    pendingSidecars: 0,
    failedInit: 0,
    unknown: 0,
    running: 0,
    waiting: 0,
    stopped: 0,
    stoppedForGood: 0,
    succeeded: 0,
  };
  for (const container of pod.spec.initContainers ?? []) {
    const status = statuses.get(container.name);
    if (isSidecar(container)) countSidecar(count, status);
    else countInit(count, container, status, pod);
  }
  for (const container of pod.spec.containers) countRegular(count, container, statuses.get(container.name), pod);
  return count;
}

function countInit(count: Count, container: Container, status: ContainerStatus | undefined, pod: Pod): void {
  const exitCode = exitCodeOf(status);
  if (status?.state.running || exitCode === undefined) count.pendingInit++;
  else if (exitCode !== 0 && !restartsAfterExit(container, pod, exitCode)) count.failedInit++;
}

function countSidecar(count: Count, status: ContainerStatus | undefined): void {
  if (!status) count.unknown++;
  else if (status.state.running) {
    count.running++;
    if (!status.started) count.pendingSidecars++;
  } else if (status.state.waiting && !status.lastState.terminated) {
    count.waiting++;
    count.pendingSidecars++;
  } else if (!status.state.waiting && !status.state.terminated) {
    count.unknown++;
    count.pendingSidecars++;
  }
}

function countRegular(count: Count, container: Container, status: ContainerStatus | undefined, pod: Pod): void {
  const exitCode = exitCodeOf(status);
  if (status?.state.running) count.running++;
  else if (exitCode !== undefined) {
    count.stopped++;
    if (!restartsAfterExit(container, pod, exitCode)) count.stoppedForGood++;
    if (exitCode === 0 && status?.state.terminated) count.succeeded++;
  } else if (status?.state.waiting) count.waiting++;
  else count.unknown++;
}

/** Of a container that has ended, also one that waits to be started again. */
function exitCodeOf(status: ContainerStatus | undefined): number | undefined {
  if (status?.state.terminated) return status.state.terminated.exitCode;
  return status?.state.waiting ? status.lastState.terminated?.exitCode : undefined;
}
