import type { Container, EphemeralContainer, Pod, Service } from '@kubernode/api/core/v1';
import type { Cri } from '@kubernode/api/cri';
import type { EventRecorder } from '@kubernode/client';
import type { Clock, Logger } from '@kubernode/machinery';
import type { Cgroups } from '../containers/cgroups.ts';
import type { NodeConfig } from '../containers/sandbox-config.ts';
import type { NodeAllocatable } from '../env/resource-ref.ts';
import type { ImageManager } from '../images/image-manager.ts';
import type { FailureBackoff } from '../pod-lifecycle/backoff.ts';
import { containerFieldPath } from '../pod-lifecycle/containers-of.ts';
import type { ProbeManager } from '../probes/probe-manager.ts';
import type { Mounter } from '../volumes/mounter.ts';
import type { ReferencedObjects } from '../volumes/objects.ts';
import type { ServiceAccountTokens } from '../volumes/tokens.ts';
import type { VolumeManager } from '../volumes/volume-manager.ts';
import type { StatusWriter } from './status-writer.ts';

/** All that working on pods needs; made once a kubelet, shared by every pod's worker. */
export interface PodContext {
  readonly cri: Cri;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly rootDir: string;
  readonly runtimeName: string;
  readonly hostIps: readonly string[];
  readonly node: NodeConfig;
  readonly cgroups: Cgroups | undefined;
  readonly mounter: Mounter;
  readonly volumes: VolumeManager;
  readonly images: ImageManager;
  readonly objects: ReferencedObjects;
  readonly tokens: ServiceAccountTokens;
  readonly probes: ProbeManager;
  readonly crashBackoff: FailureBackoff;
  readonly recorder: EventRecorder;
  readonly statuses: StatusWriter;
  services(): readonly Service[];
  allocatable(): NodeAllocatable;
}

export type EventType = 'Normal' | 'Warning';

/** An event on a pod. */
export function podEvent(context: PodContext, pod: Pod, type: EventType, reason: string, message: string): void {
  context.recorder.event({ ...pod, kind: 'Pod', apiVersion: 'v1' }, type, reason, message);
}

/** An event on one of a pod's containers. */
export function containerEvent(
  context: PodContext,
  pod: Pod,
  container: Container | EphemeralContainer,
  type: EventType,
  reason: string,
  message: string,
): void {
  const fieldPath = containerFieldPath(pod, container.name);
  context.recorder.event({ ...pod, kind: 'Pod', apiVersion: 'v1' }, type, reason, message, { fieldPath });
}
