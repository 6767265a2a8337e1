import type { Clock, Logger } from '@kubernode/machinery';
import type { OciRuntime } from './containers/oci-runtime.ts';
import type { ContainerEvents } from './events.ts';
import type { Cgroups } from './host/cgroups.ts';
import type { Limit } from './host/limit.ts';
import type { ImageStore } from './images/store.ts';
import type { PodNetwork } from '@kubernode/api/cri';

/** What the parts of a runtime share; made once by `openRuntime`. */
export interface RuntimeContext {
  /** Images and the writable layers of containers. */
  readonly rootFolder: string;
  /** Records, namespaces, sockets: what a restart adopts. */
  readonly stateFolder: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly podNetwork: PodNetwork;
  readonly oci: OciRuntime;
  readonly cgroups: Cgroups;
  readonly images: ImageStore;
  readonly events: ContainerEvents;
  /** Bounds how many processes are made at a time: past the number of cores they only slow each other down. */
  readonly startLimit: Limit;
  readonly conmonPath: string;
  readonly busyboxPath: string;
  readonly hostCapabilities: ReadonlySet<string>;
  readonly ownOomScoreAdj: number;
  /** Where the kubelet names no parent. */
  readonly cgroupParentDefault: string;
}

/** CRI's times are nanoseconds since the epoch. */
export function nanoseconds(timeMs: number): number {
  return Math.round(timeMs * 1e6);
}
