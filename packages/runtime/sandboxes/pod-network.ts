/** What the runtime asks of the cluster's network; the network package answers it. */
export interface PodNetwork {
  /** Joins the namespace at `netnsPath`; idempotent for the same sandbox. */
  attach(pod: PodAttachment): Promise<{ readonly ips: readonly string[] }>;
  /** Undoes `attach`; quiet where nothing is left. */
  detach(pod: PodAttachment): Promise<void>;
}

export interface PodAttachment {
  readonly sandboxId: string;
  readonly netnsPath: string;
  readonly pod: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly portMappings?: readonly PodPortMapping[] | undefined;
}

export interface PodPortMapping {
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly containerPort: number;
  readonly hostPort: number;
  readonly hostIp?: string | undefined;
}
