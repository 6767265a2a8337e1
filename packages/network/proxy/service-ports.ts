import type { Service, ServicePort } from '@kubernode/api/core/v1';
import type { EndpointSlice } from '@kubernode/api/discovery/v1';

export interface Backend {
  readonly address: string;
  readonly port: number;
  readonly isLocal: boolean;
}

/** One port of one Service with what stands behind it: all that the rules need to know. */
export interface ServicePortState {
  /** `namespace/service/tcp/port-name` */
  readonly id: string;
  readonly protocol: string;
  readonly clusterIps: readonly string[];
  /** externalIPs and load balancer addresses. */
  readonly externalIps: readonly string[];
  readonly port: number;
  readonly nodePort: number;
  /** What a client inside the cluster is sent to. */
  readonly internal: readonly Backend[];
  /** What a client from outside is sent to. */
  readonly external: readonly Backend[];
  /** externalTrafficPolicy Local: the client's address is kept, and without local backends packets are dropped. */
  readonly externalLocal: boolean;
  readonly internalLocal: boolean;
  /** Seconds that a client stays with its backend; 0 without session affinity. */
  readonly affinitySeconds: number;
}

const serviceNameLabel = 'kubernetes.io/service-name';
const proxyNameLabel = 'service.kubernetes.io/service-proxy-name';

/** The name of the Service that a slice belongs to, `namespace/name`. */
export function serviceOf(slice: EndpointSlice): string {
  return `${slice.metadata.namespace}/${slice.metadata.labels?.[serviceNameLabel] ?? ''}`;
}

/** The state of each port of a Service for one address family; none for headless and ExternalName Services. */
export function servicePorts(
  service: Service,
  slices: readonly EndpointSlice[],
  nodeName: string,
  family: 'IPv4' | 'IPv6' = 'IPv4',
): ServicePortState[] {
  const { spec, metadata } = service;
  const isFamily = (address: string) => address.includes(':') === (family === 'IPv6');
  const clusterIps = (spec.clusterIPs ?? []).filter((ip) => ip !== '' && ip !== 'None' && isFamily(ip));
  if (spec.type === 'ExternalName' || clusterIps.length === 0 || metadata.labels?.[proxyNameLabel] !== undefined)
    return [];
  const ingress = service.status.loadBalancer.ingress ?? [];
  const balancers = ingress.filter((entry) => entry.ipMode !== 'Proxy').map((entry) => entry.ip ?? '');
  const externalIps = [...(spec.externalIPs ?? []), ...balancers].filter((ip) => ip !== '' && isFamily(ip));
  const matching = slices.filter((slice) => (slice.addressType as string) === family);
  const externalLocal = spec.externalTrafficPolicy === 'Local';
  const internalLocal = spec.internalTrafficPolicy === 'Local';
  const affinitySeconds =
    spec.sessionAffinity === 'ClientIP' ? (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) : 0;
  return (spec.ports ?? []).map((port) => {
    const protocol = (port.protocol ?? 'TCP').toLowerCase();
    const all = backendsOf(port, matching, nodeName);
    const local = all.filter((backend) => backend.isLocal);
    return {
      id: `${metadata.namespace}/${metadata.name}/${protocol}/${port.name ?? ''}`,
      protocol,
      clusterIps,
      externalIps,
      port: port.port,
      nodePort: port.nodePort ?? 0,
      internal: internalLocal ? local : all,
      external: externalLocal ? local : all,
      externalLocal,
      internalLocal,
      affinitySeconds,
    };
  });
}

/** Ready backends; where there are none, those that still serve while they end (KEP-1669). Sorted, without doubles. */
function backendsOf(port: ServicePort, slices: readonly EndpointSlice[], nodeName: string): Backend[] {
  const ready = new Map<string, Backend>();
  const ending = new Map<string, Backend>();
  for (const slice of slices) {
    const number = slice.ports?.find((candidate) => (candidate.name ?? '') === (port.name ?? ''))?.port;
    if (number === undefined) continue;
    for (const { addresses, conditions, nodeName: host } of slice.endpoints) {
      const isReady = conditions?.ready ?? true;
      const isEnding = (conditions?.serving ?? true) && (conditions?.terminating ?? false);
      if (!isReady && !isEnding) continue;
      for (const address of addresses.slice(0, 1)) {
        (isReady ? ready : ending).set(`${address} ${number}`, { address, port: number, isLocal: host === nodeName });
      }
    }
  }
  const chosen = ready.size > 0 ? ready : ending;
  return [...chosen].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, backend]) => backend);
}
