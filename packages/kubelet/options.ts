import type { Taint } from '@kubernode/api/core/v1';
import type { Cri } from '@kubernode/api/cri';
import type { Client } from '@kubernode/client';
import type { Clock, Logger } from '@kubernode/machinery';
import type { KubeletAuthenticator } from './server/authentication.ts';
import type { KubeletAuthorizer } from './server/authorization.ts';
import type { ListenOptions } from './server/kubelet-server.ts';
import type { Mounter } from './volumes/mounter.ts';

export interface KubeletOptions {
  /** As `system:node:<nodeName>`. */
  readonly client: Client;
  readonly cri: Cri;
  readonly nodeName: string;
  /** Holds pods' volumes and files; an absolute path that this kubelet has to itself. */
  readonly rootDir: string;
  /** Default: `<rootDir>/logs`. */
  readonly podLogsDir?: string | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Left out: there is no HTTPS API, so no logs, exec and port-forward either. */
  readonly listen?: ListenOptions | undefined;
  /** Default: certificates of the client CA, and TokenReview. */
  readonly authenticate?: KubeletAuthenticator | undefined;
  /** Default: SubjectAccessReview. */
  readonly authorize?: KubeletAuthorizer | undefined;
  /** The primary one first; at most one of each family. */
  readonly nodeAddresses: readonly string[];
  readonly nodeLabels?: Readonly<Record<string, string>> | undefined;
  /** Put on the node when it is registered for the first time. */
  readonly registerWithTaints?: readonly Taint[] | undefined;
  readonly registerNode?: boolean | undefined;
  readonly clusterDns?: readonly string[] | undefined;
  readonly clusterDomain?: string | undefined;
  readonly maxPods?: number | undefined;
  /** Below which pods' cgroups are made: `/kubernode-1` gives `/kubernode-1/kubepods/…`. `false`: make none. */
  readonly cgroupRoot?: string | false | undefined;
  readonly cgroupMountPoint?: string | undefined;
  /** Only cgroupfs; `systemd` is refused by name. */
  readonly cgroupDriver?: 'cgroupfs' | 'systemd' | undefined;
  readonly podPidsMax?: number | undefined;
  readonly parallelPullsMax?: number | undefined;
  /** Size at which a container's log is rotated; 0: the runtime does it. */
  readonly containerLogBytesMax?: number | undefined;
  readonly containerLogFilesMax?: number | undefined;
  readonly imageGcHighThresholdPercent?: number | undefined;
  readonly imageGcLowThresholdPercent?: number | undefined;
  readonly systemReserved?: { readonly cpuMilli: number; readonly memoryBytes: number } | undefined;
  readonly resolverConfigPath?: string | undefined;
  readonly mounter?: Mounter | undefined;
}

/** Upstream's defaults (KubeletConfiguration v1beta1), where nothing else is said. */
const defaults = {
  registerNode: true,
  clusterDomain: 'cluster.local',
  maxPods: 110,
  cgroupRoot: '/',
  cgroupMountPoint: '/sys/fs/cgroup',
  podPidsMax: 0,
  parallelPullsMax: 5,
  containerLogBytesMax: 10 * 1024 * 1024,
  containerLogFilesMax: 5,
  imageGcHighThresholdPercent: 85,
  imageGcLowThresholdPercent: 80,
  systemReserved: { cpuMilli: 0, memoryBytes: 0 },
  resolverConfigPath: '/etc/resolv.conf',
} as const;

export type CompleteOptions = KubeletOptions & {
  readonly [Name in keyof typeof defaults]-?: NonNullable<KubeletOptions[Name]>;
};

/** Fills in the defaults; an option that is given as undefined counts as left out. */
export function completeOptions(given: KubeletOptions): CompleteOptions {
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...defaults, ...(present as unknown as KubeletOptions) } as CompleteOptions;
}
