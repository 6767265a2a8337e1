import type { Container, EphemeralContainer, Pod, VolumeMount } from '@kubernode/api/core/v1';
import type { CriInit, Mount } from '@kubernode/api/cri';
import { join } from 'node:path';
import { ContainerConfigError } from '../env/environment.ts';
import { expand } from '../env/expand.ts';
import { containerAnnotations, containerLabels } from './labels.ts';
import { containerResources } from './resources.ts';
import type { NodeConfig } from './sandbox-config.ts';
import { containerSecurity, verifyNonRoot, type ImageUser } from './security-context.ts';

export interface ContainerConfigInput {
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  readonly attempt: number;
  /** What the image manager found: the local image, and the user that it names. */
  readonly imageRef: string;
  readonly imageUser: ImageUser;
  readonly env: ReadonlyMap<string, string>;
  readonly mounts: readonly CriInit<'Mount'>[];
  readonly node: NodeConfig;
  /** The container whose processes an ephemeral one wants to see. */
  readonly targetId?: string | undefined;
}

/** The CRI's configuration of one container. Throws ContainerConfigError for what a user has to mend. */
export function containerConfig(input: ContainerConfigInput): CriInit<'ContainerConfig'> {
  const { pod, container, attempt, env, node } = input;
  verifyNonRoot(pod, container, input.imageUser);
  const valueOf = (name: string) => env.get(name);
  const signal = container.lifecycle?.stopSignal;
  return {
    metadata: { name: container.name, attempt },
    image: { image: input.imageRef, userSpecifiedImage: container.image ?? '' },
    command: (container.command ?? []).map((part) => expand(part, valueOf)),
    args: (container.args ?? []).map((part) => expand(part, valueOf)),
    workingDir: container.workingDir ?? '',
    envs: [...env].map(([key, value]) => ({ key, value: Buffer.from(value) })),
    mounts: input.mounts,
    labels: containerLabels(pod, container),
    annotations: containerAnnotations(pod, container, attempt),
    logPath: containerLogPath(container.name, attempt),
    stdin: container.stdin ?? false,
    stdinOnce: container.stdinOnce ?? false,
    tty: container.tty ?? false,
    ...(signal ? { stopSignal: criSignal(signal) } : {}),
    linux: {
      resources: containerResources(pod, container, node),
      securityContext: containerSecurity(pod, container, {
        targetId: input.targetId,
        seccompDir: node.seccompDir,
        appArmor: node.appArmor,
      }),
    },
  };
}

/** Relative to the sandbox's log folder. */
function containerLogPath(name: string, attempt: number): string {
  return join(name, `${attempt}.log`);
}

type CriSignal = NonNullable<CriInit<'ContainerConfig'>['stopSignal']>;

function criSignal(signal: string): CriSignal {
  return `SIGNAL_${signal.replace('SIGRTMIN+', 'SIGRTMINPLUS').replace('SIGRTMAX-', 'SIGRTMAXMINUS')}` as CriSignal;
}

const propagations: Readonly<Record<string, Mount['propagation']>> = {
  HostToContainer: 'PROPAGATION_HOST_TO_CONTAINER',
  Bidirectional: 'PROPAGATION_BIDIRECTIONAL',
};

/** One volume mount, given where the volume (or its subPath) lies on the host. */
export function criMount(mount: VolumeMount, hostPath: string, volumeReadOnly: boolean): CriInit<'Mount'> {
  if (mount.recursiveReadOnly === 'Enabled') {
    throw new ContainerConfigError(
      `volume "${mount.name}" requested recursive read-only mode, but it is not supported by the runtime`,
    );
  }
  const containerPath = mount.mountPath.startsWith('/') ? mount.mountPath : join('/', mount.mountPath);
  return {
    containerPath,
    hostPath,
    readonly: (mount.readOnly ?? false) || volumeReadOnly,
    propagation: propagations[mount.mountPropagation ?? ''] ?? 'PROPAGATION_PRIVATE',
  };
}
