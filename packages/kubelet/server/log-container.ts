import type { ContainerStatus, PodStatus } from '@kubernode/api/core/v1';

/**
 * The id of the container whose log is asked for; throws with upstream's words where there is none yet (upstream:
 * validateContainerLogStatus).
 */
export function logContainerId(podName: string, status: PodStatus, container: string, previous: boolean): string {
  const statuses = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  const own = statuses.find(({ name }) => name === container);
  if (!own) throw new Error(`container "${container}" in pod "${podName}" is not available`);
  const id = choose(own, previous, `container "${container}" in pod "${podName}"`);
  return id.slice(id.indexOf('://') + 3);
}

function choose({ state, lastState, containerID = '' }: ContainerStatus, previous: boolean, what: string): string {
  const last = lastState.terminated?.containerID;
  if (previous) {
    if (last) return last;
    throw new Error(`previous terminated ${what} not found`);
  }
  if (state.running) return containerID;
  if (state.terminated?.containerID) return state.terminated.containerID;
  if (last) return last;
  if (state.terminated ?? lastState.terminated) throw new Error(`${what} is terminated`);
  const reason = state.waiting?.reason ?? '';
  if (reason === 'ErrImagePull') throw new Error(`${what} is waiting to start: image can't be pulled`);
  if (reason === 'ImagePullBackOff') throw new Error(`${what} is waiting to start: trying and failing to pull image`);
  throw new Error(reason ? `${what} is waiting to start: ${reason}` : `${what} is waiting to start - no logs yet`);
}
