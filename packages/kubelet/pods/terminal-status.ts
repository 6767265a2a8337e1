import type { ContainerStatus, Pod, PodStatus } from '@kubernode/api/core/v1';

/**
 * The last status of a pod that has ended: no container runs or waits any more, and the phase is terminal (upstream:
 * status manager's TerminatePod).
 */
export function terminalStatus(status: PodStatus): PodStatus {
  const terminal = status.phase === 'Failed' || status.phase === 'Succeeded';
  return {
    ...status,
    phase: terminal ? status.phase : 'Failed',
    ...(status.initContainerStatuses ? { initContainerStatuses: ended(status.initContainerStatuses) } : {}),
    ...(status.containerStatuses ? { containerStatuses: ended(status.containerStatuses) } : {}),
  };
}

/** A pod that the kubelet does not take: nothing is said of containers that never were (upstream: rejectPod). */
export function refusedStatus(
  pod: Pod,
  { phase, reason, message, qosClass, startTime, observedGeneration }: PodStatus,
): PodStatus {
  return {
    ...pod.status,
    phase: phase ?? 'Failed',
    ...(reason ? { reason } : {}),
    ...(message ? { message: `Pod was rejected: ${message.replace(/^Pod was rejected: /, '')}` } : {}),
    qosClass,
    startTime,
    observedGeneration,
  };
}

function ended(statuses: readonly ContainerStatus[]): ContainerStatus[] {
  return statuses.map((status) => {
    if (status.state.terminated) return status;
    const last = status.lastState.terminated;
    const lost = {
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'The container could not be located when the pod was terminated',
    };
    return { ...status, ready: false, started: false, state: { terminated: last ?? lost }, lastState: {} };
  });
}
