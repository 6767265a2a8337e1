import type { CriInit, CriMessage } from '@kubernode/api/cri';
import { criState } from './containers/containers.ts';
import type { ContainerRecord } from './containers/record.ts';
import { nanoseconds } from './context.ts';
import type { ImageRecord } from './images/store.ts';
import type { SandboxRecord } from './sandboxes/record.ts';

/** Records in CRI's words. */
export function sandboxState(record: SandboxRecord): CriMessage<'PodSandbox'>['state'] {
  return record.state === 'ready' ? 'SANDBOX_READY' : 'SANDBOX_NOTREADY';
}

export function podSandbox(record: SandboxRecord): CriInit<'PodSandbox'> {
  const { metadata, labels, annotations } = record.config;
  return {
    id: record.id,
    metadata,
    state: sandboxState(record),
    createdAt: nanoseconds(record.createdAtMs),
    labels,
    annotations,
    runtimeHandler: record.runtimeHandler,
  };
}

export function podSandboxStatus(record: SandboxRecord): CriInit<'PodSandboxStatus'> {
  const [ip = '', ...more] = record.state === 'ready' ? record.ips : [];
  const options = record.config.linux?.securityContext?.namespaceOptions;
  return {
    ...podSandbox(record),
    network: { ip, additionalIps: more.map((other) => ({ ip: other })) },
    linux: { namespaces: { options } },
  };
}

export function container(record: ContainerRecord): CriInit<'Container'> {
  const { metadata, image, labels, annotations } = record.config;
  return {
    id: record.id,
    podSandboxId: record.sandboxId,
    metadata,
    image,
    imageRef: record.imageRef,
    imageId: record.imageId,
    state: criState(record),
    createdAt: nanoseconds(record.createdAtMs),
    labels,
    annotations,
  };
}

export function containerStatus(record: ContainerRecord): CriInit<'ContainerStatus'> {
  const { metadata, labels, annotations, mounts, linux, image, stopSignal } = record.config;
  const { uid, gid, additionalGids } = record.user;
  return {
    id: record.id,
    metadata,
    state: criState(record),
    createdAt: nanoseconds(record.createdAtMs),
    startedAt: nanoseconds(record.startedAtMs),
    finishedAt: nanoseconds(record.finishedAtMs),
    exitCode: record.exitCode,
    reason: record.reason,
    message: record.message,
    image: { image: image?.userSpecifiedImage || record.imageName, annotations: image?.annotations },
    imageRef: record.imageRef,
    imageId: record.imageId,
    labels,
    annotations,
    mounts,
    logPath: record.logPath,
    resources: { linux: linux?.resources },
    user: { linux: { uid, gid, supplementalGroups: additionalGids } },
    stopSignal,
  };
}

export function image(record: ImageRecord): CriInit<'Image'> {
  const user = record.config.config?.User?.split(':')[0] ?? '';
  const isNumber = /^\d+$/.test(user);
  return {
    id: record.id,
    repoTags: record.tags,
    repoDigests: record.digests,
    size: record.sizeBytes,
    uid: isNumber || user === '' ? { value: Number(user) } : undefined,
    username: isNumber ? '' : user,
    spec: { image: record.tags[0] ?? record.digests[0] ?? record.id },
  };
}

/** Whether every label that is asked for is there. */
export function hasLabels(
  labels: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>> = {},
): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}
