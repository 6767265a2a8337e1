import type { Node, Pod, Service } from '@kubernode/api/core/v1';
import type { Endpoint, EndpointPort } from '@kubernode/api/discovery/v1';
import { ipFamily } from '@kubernode/machinery';
import { isReady } from '../shared/pods.ts';
import { hostnameFor, mayBeEndpoint, targetPortOn } from '../shared/service-pods.ts';
import type { PortGroup } from './plan-slices.ts';

const zoneLabel = 'topology.kubernetes.io/zone';

export interface DesiredEndpoints {
  readonly groups: readonly PortGroup[];
  /** Pods whose node is not known: to be tried again. */
  readonly podsWithoutNode: readonly string[];
}

/** What the slices of one address family should hold: the service's pods, grouped by the ports they resolve to. */
export function endpointsOfService(
  service: Service,
  pods: readonly Pod[],
  family: string,
  nodeOf: (name: string) => Node | undefined,
): DesiredEndpoints {
  const groups = new Map<string, { ports: readonly EndpointPort[]; endpoints: Endpoint[] }>();
  const podsWithoutNode: string[] = [];
  const publishesAll = service.spec.publishNotReadyAddresses === true;
  for (const pod of pods) {
    if (!mayBeEndpoint(pod, true)) continue;
    const addresses = addressesOf(pod, family);
    if (addresses.length === 0) continue;
    const node = pod.spec.nodeName ? nodeOf(pod.spec.nodeName) : undefined;
    if (pod.spec.nodeName && !node && !publishesAll) {
      podsWithoutNode.push(pod.metadata.name);
      continue;
    }
    const ports = portsOn(pod, service);
    const id = JSON.stringify(ports);
    const group = groups.get(id) ?? { ports, endpoints: [] };
    groups.set(id, group);
    group.endpoints.push(endpointOf(pod, service, addresses, node));
  }
  return { groups: [...groups.values()], podsWithoutNode };
}

export function addressesOf({ status }: Pod, family: string): string[] {
  const addresses = status.podIPs?.map(({ ip }) => ip) ?? (status.podIP ? [status.podIP] : []);
  return addresses.filter((address) => ipFamily(address) === family);
}

function portsOn(pod: Pod, service: Service): EndpointPort[] {
  return (service.spec.ports ?? []).flatMap((servicePort) => {
    const port = targetPortOn(pod, servicePort);
    if (port === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = servicePort;
    return [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function endpointOf(pod: Pod, service: Service, addresses: string[], node: Node | undefined): Endpoint {
  const { name, namespace, uid, deletionTimestamp } = pod.metadata;
  const serving = isReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
  const zone = node?.metadata.labels?.[zoneLabel];
  const hostname = hostnameFor(pod, service);
  const endpoint: Endpoint = {
    addresses,
    conditions: { ready, serving, terminating },
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(hostname ? { hostname } : {}),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone ? { zone } : {}),
  };
  const hints = ready ? hintsFor(endpoint, service.spec.trafficDistribution) : undefined;
  return hints ? { ...endpoint, hints } : endpoint;
}

/** Which clients should prefer an endpoint (KEP-4444, KEP-3015). */
export function hintsFor(
  { nodeName, zone }: Pick<Endpoint, 'nodeName' | 'zone'>,
  trafficDistribution: string | undefined,
): Endpoint['hints'] {
  const forZones = zone ? { forZones: [{ name: zone }] } : undefined;
  switch (trafficDistribution) {
    case 'PreferClose':
    case 'PreferSameZone':
      return forZones;
    case 'PreferSameNode':
      return nodeName ? { forNodes: [{ name: nodeName }], ...forZones } : forZones;
    default:
      return undefined;
  }
}
