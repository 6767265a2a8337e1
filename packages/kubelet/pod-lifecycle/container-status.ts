import type { Container, ContainerState, ContainerStatus, Pod } from '@kubernode/api/core/v1';
import { formatTime } from '@kubernode/machinery';
import { isSidecar, type ContainerKind } from './containers-of.ts';
import type { ProbeVerdicts } from './kill.ts';
import { shouldBeStarted } from './restart-policy.ts';
import { latestContainer, type RuntimeContainer, type RuntimePod } from './runtime-pod.ts';

/** Why the last attempt to start a container did not work: what the API shows as its waiting reason. */
export interface StartFailure {
  readonly reason: string;
  readonly message: string;
}

export interface ContainerStatusInput {
  readonly pod: Pod;
  readonly runtime: RuntimePod;
  readonly containers: readonly Container[];
  readonly kind: ContainerKind;
  readonly previous: readonly ContainerStatus[];
  readonly startFailures: ReadonlyMap<string, StartFailure>;
  readonly probes: ProbeVerdicts;
  /** In front of container ids: `containerd`, `kubernode`. */
  readonly runtimeName: string;
}

/**
 * The API's statuses of one of a pod's lists of containers, from what the runtime has, what was known before and what
 * went wrong at the last start (upstream: convertToAPIContainerStatuses). Init containers keep the spec's order, others
 * are sorted by name.
 */
export function containerStatuses(input: ContainerStatusInput): ContainerStatus[] {
  const statuses = input.containers.map((container) => statusOf(container, input));
  if (input.kind === 'init') return statuses;
  return statuses.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function statusOf(container: Container, input: ContainerStatusInput): ContainerStatus {
  const previous = input.previous.find(({ name }) => name === container.name);
  const [latest, earlier] = input.runtime.containers.filter(({ name }) => name === container.name);
  const status = latest
    ? fromRuntime(container, latest, previous, input.runtimeName)
    : withoutRuntime(container, previous, input);
  if (latest && earlier) status.lastState = stateOf(earlier, previous, input.runtimeName);
  const settled = input.kind === 'init' && settleInit(container, status, latest, input);
  const failure = input.startFailures.get(container.name);
  if (!settled && failure && shouldBeStarted(container, input.pod, input.runtime)) {
    if (status.state.terminated) status.lastState = status.state;
    status.state = { waiting: { reason: failure.reason, message: failure.message } };
  }
  setReadiness(status, container, latest, input);
  return status;
}

function fromRuntime(
  container: Container,
  latest: RuntimeContainer,
  previous: ContainerStatus | undefined,
  runtimeName: string,
): ContainerStatus {
  const lost = latest.state === 'unknown' && previous?.state.running !== undefined;
  return {
    name: container.name,
    state: stateOf(latest, previous, runtimeName),
    lastState: previousEnd(latest, previous, runtimeName),
    ready: false,
    restartCount: Math.max(lost ? previous.restartCount + 1 : latest.attempt, previous?.restartCount ?? 0),
    image: latest.image || (container.image ?? ''),
    imageID: latest.imageRef,
    containerID: `${runtimeName}://${latest.id}`,
    ...(container.resources?.requests ? { allocatedResources: container.resources.requests } : {}),
    resources: container.resources ?? {},
    ...mountStatuses(container),
    ...(latest.user
      ? {
          user: {
            linux: {
              uid: latest.user.uid,
              gid: latest.user.gid,
              supplementalGroups: [...latest.user.supplementalGroups],
            },
          },
        }
      : {}),
  };
}

/** The end of the container before this one, when the runtime has forgotten it. */
function previousEnd(
  latest: RuntimeContainer,
  previous: ContainerStatus | undefined,
  runtimeName: string,
): ContainerState {
  const sameContainer = previous?.containerID === `${runtimeName}://${latest.id}`;
  if (previous?.state.terminated && !sameContainer) return { terminated: previous.state.terminated };
  return previous?.lastState.terminated ? { terminated: previous.lastState.terminated } : {};
}

function stateOf(
  container: RuntimeContainer,
  previous: ContainerStatus | undefined,
  runtimeName: string,
): ContainerState {
  if (container.state === 'running') return { running: { startedAt: formatTime(container.startedAtMs) } };
  if (container.state === 'exited') {
    return {
      terminated: {
        exitCode: container.exitCode,
        reason: container.reason || (container.exitCode === 0 ? 'Completed' : 'Error'),
        ...(container.message ? { message: container.message } : {}),
        startedAt: formatTime(container.startedAtMs),
        finishedAt: formatTime(container.finishedAtMs),
        containerID: `${runtimeName}://${container.id}`,
      },
    };
  }
  if (container.state === 'unknown' && previous?.state.running) {
    return { terminated: lostContainer('The container could not be located when the pod was terminated') };
  }
  return { waiting: {} };
}

const lostContainer = (message: string) => ({ exitCode: 137, reason: 'ContainerStatusUnknown', message });

/** The runtime has no such container: it waits for its turn, has ended before, or is lost. */
function withoutRuntime(
  container: Container,
  previous: ContainerStatus | undefined,
  { pod, kind }: ContainerStatusInput,
): ContainerStatus {
  if (previous?.state.terminated) return { ...previous };
  const reason = pod.spec.initContainers?.length ? 'PodInitializing' : 'ContainerCreating';
  const status: ContainerStatus = {
    name: container.name,
    state: { waiting: { reason } },
    lastState: previous?.lastState ?? {},
    ready: false,
    restartCount: previous?.restartCount ?? 0,
    image: container.image ?? '',
    imageID: '',
    ...mountStatuses(container),
  };
  if (previous?.state.running && !status.lastState.terminated && kind !== 'ephemeral') {
    const message = 'The container could not be located when the pod was deleted.  The container used to be Running';
    status.lastState = { terminated: lostContainer(message) };
    if (!pod.metadata.deletionTimestamp) status.restartCount++;
  }
  return status;
}

/** Init containers that are done stay done, even when the runtime has forgotten them. */
function settleInit(
  container: Container,
  status: ContainerStatus,
  latest: RuntimeContainer | undefined,
  { pod, runtime }: ContainerStatusInput,
): boolean {
  if (latest?.state === 'exited' && latest.exitCode === 0) return !isSidecar(container);
  if (latest || isSidecar(container) || !status.state.waiting) return false;
  if (!pod.spec.containers.some(({ name }) => latestContainer(runtime, name))) return false;
  const message =
    'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally';
  status.state = { terminated: { exitCode: 0, reason: 'Completed', message } };
  return true;
}

/** `started` and `ready` as the probes say (upstream: prober's UpdatePodStatus). */
function setReadiness(
  status: ContainerStatus,
  container: Container,
  latest: RuntimeContainer | undefined,
  { kind, probes }: ContainerStatusInput,
): void {
  if (kind === 'ephemeral') return;
  const running = status.state.running !== undefined && latest !== undefined;
  status.started = running && (!container.startupProbe || probes.startup(latest.id) === true);
  if (kind === 'init' && !isSidecar(container)) {
    status.ready = status.state.terminated?.exitCode === 0;
  } else {
    status.ready =
      status.started && latest !== undefined && (!container.readinessProbe || probes.readiness(latest.id) === true);
  }
}

function mountStatuses(container: Container): Pick<ContainerStatus, 'volumeMounts'> {
  if (!container.volumeMounts?.length) return {};
  return {
    volumeMounts: container.volumeMounts.map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly ? { readOnly: true, recursiveReadOnly: 'Disabled' } : {}),
    })),
  };
}
