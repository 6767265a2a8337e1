import type { ContainerStatus, Cri, PodSandboxStatus } from '@kubernode/api/cri';
import { CriError } from '@kubernode/api/cri';
import { annotations, labels } from '../containers/labels.ts';
import type {
  RuntimeContainer,
  RuntimeContainerState,
  RuntimePod,
  RuntimeSandbox,
} from '../pod-lifecycle/runtime-pod.ts';

const nanosecondsPerMs = 1_000_000;
const toMs = (nanoseconds: number) => Math.floor(nanoseconds / nanosecondsPerMs);

/** What the runtime has of one pod now. */
export async function readRuntimePod(cri: Cri, podUid: string): Promise<RuntimePod> {
  const labelSelector = { [labels.podUid]: podUid };
  const [{ items }, { containers }] = await Promise.all([
    cri.listPodSandbox({ filter: { labelSelector } }),
    cri.listContainers({ filter: { labelSelector } }),
  ]);
  const [sandboxes, statuses] = await Promise.all([
    Promise.all(items.map(({ id }) => present(cri.podSandboxStatus({ podSandboxId: id })))),
    Promise.all(containers.map(({ id }) => present(cri.containerStatus({ containerId: id })))),
  ]);
  const sandboxOf = new Map(containers.map(({ id, podSandboxId }) => [id, podSandboxId]));
  return runtimePod(
    sandboxes.flatMap((answer) => answer?.status ?? []),
    statuses.flatMap((answer) => answer?.status ?? []),
    sandboxOf,
  );
}

/** What was removed between the list and the look at it is not there. */
async function present<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CriError && error.code === 'NotFound') return undefined;
    throw error;
  }
}

function runtimePod(
  sandboxes: readonly PodSandboxStatus[],
  containers: readonly ContainerStatus[],
  sandboxOf: ReadonlyMap<string, string>,
): RuntimePod {
  const all = sandboxes.map(toSandbox).sort((a, b) => b.createdAtMs - a.createdAtMs || b.attempt - a.attempt);
  return {
    sandboxes: all,
    containers: containers
      .map((status) => toContainer(status, sandboxOf.get(status.id) ?? ''))
      .sort((a, b) => b.createdAtMs - a.createdAtMs || b.attempt - a.attempt),
    ips: all.find(({ ready }) => ready)?.ips ?? [],
  };
}

function toSandbox(status: PodSandboxStatus): RuntimeSandbox {
  const network = status.network;
  const ips = network?.ip ? [network.ip, ...network.additionalIps.map(({ ip }) => ip)] : [];
  return {
    id: status.id,
    attempt: status.metadata?.attempt ?? 0,
    ready: status.state === 'SANDBOX_READY',
    createdAtMs: toMs(status.createdAt),
    hostNetwork: status.linux?.namespaces?.options?.network === 'NODE',
    ips,
  };
}

const states: Readonly<Record<ContainerStatus['state'], RuntimeContainerState>> = {
  CONTAINER_CREATED: 'created',
  CONTAINER_RUNNING: 'running',
  CONTAINER_EXITED: 'exited',
  CONTAINER_UNKNOWN: 'unknown',
};

function toContainer(status: ContainerStatus, sandboxId: string): RuntimeContainer {
  const user = status.user?.linux;
  return {
    id: status.id,
    name: status.metadata?.name ?? status.labels[labels.containerName] ?? '',
    sandboxId,
    attempt: Number(status.annotations[annotations.restartCount] ?? status.metadata?.attempt ?? 0),
    state: states[status.state],
    image: status.image?.userSpecifiedImage || (status.image?.image ?? ''),
    imageRef: status.imageRef,
    hash: status.annotations[annotations.containerHash] ?? '',
    createdAtMs: toMs(status.createdAt),
    startedAtMs: toMs(status.startedAt),
    finishedAtMs: toMs(status.finishedAt),
    exitCode: status.exitCode,
    reason: status.reason,
    message: status.message,
    logPath: status.logPath,
    ...(user ? { user } : {}),
  };
}
