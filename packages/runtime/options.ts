import type { Clock, Logger } from '@kubernode/machinery';
import type { PodNetwork } from '@kubernode/api/cri';

export interface RuntimeOptions {
  /** Images and the writable layers of containers: grows with them. */
  readonly root: string;
  /** Records, namespaces, sockets; `state` in `root` if not given. Not for two runtimes at a time. */
  readonly stateDir?: string | undefined;
  readonly podNetwork: PodNetwork;
  readonly log: Logger;
  readonly clock: Clock;
  /** Path of runc or crun; found where it is not given. */
  readonly ociRuntime?: string | undefined;
  /** Cgroup of pods without a parent of their own; `/kubernode` if not given. */
  readonly cgroupRoot?: string | undefined;
  /** Registries (host, port) that are spoken to without TLS; loopback always may be. */
  readonly insecureRegistries?: readonly string[];
  /** Address of the streaming server; 127.0.0.1 if not given. */
  readonly streamHost?: string | undefined;
}
