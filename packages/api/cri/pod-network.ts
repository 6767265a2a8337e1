/** How a pod's network namespace is joined to the cluster: what a container runtime asks of the network, and the network answers. */
export interface PodNetwork {
  /** Joins the namespace at `netnsPath`; idempotent for the same sandbox. Throws where no address is left. */
  attach(pod: PodAttachment): Promise<{ readonly ips: readonly string[] }>;
  /** Undoes `attach`; quiet where nothing (or no namespace) is left. */
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
  /** '' or absent: every address of the node. */
  readonly hostIp?: string | undefined;
}
