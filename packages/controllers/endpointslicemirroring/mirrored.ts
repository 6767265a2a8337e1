import type { Endpoints, EndpointAddress, Service } from '@kubernode/api/core/v1';
import type { Endpoint, EndpointPort } from '@kubernode/api/discovery/v1';
import { ipFamily } from '@kubernode/machinery';
import type { PortGroup } from '../endpointslice/plan-slices.ts';

const skipMirrorLabel = 'endpointslice.kubernetes.io/skip-mirror';
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';

/** Of one subset, so many addresses are mirrored. */
export const addressesPerSubsetMax = 1000;

/** Hand-made Endpoints of a service without a selector are mirrored; leader election's and those that opt out are not. */
export function shouldMirror(endpoints: Endpoints, service: Service | undefined): boolean {
  const { labels, annotations } = endpoints.metadata;
  if (!service || service.spec.selector) return false;
  return labels?.[skipMirrorLabel] !== 'true' && annotations?.[leaderAnnotation] === undefined;
}

/** The endpoints of one address family, by their ports. */
export function mirroredGroups({ subsets }: Endpoints, family: string): PortGroup[] {
  const groups = new Map<string, { ports: readonly EndpointPort[]; endpoints: Map<string, Endpoint> }>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets ?? []) {
    const slicePorts = ports.map(({ name = '', ...port }) => ({ name, ...port }));
    const key = JSON.stringify(slicePorts);
    const group = groups.get(key) ?? { ports: slicePorts, endpoints: new Map<string, Endpoint>() };
    const all = [
      ...addresses.map((one) => mirrored(one, true)),
      ...notReadyAddresses.map((one) => mirrored(one, false)),
    ];
    for (const endpoint of all.slice(0, addressesPerSubsetMax)) {
      const [address = ''] = endpoint.addresses;
      if (ipFamily(address) === family && !group.endpoints.has(address)) group.endpoints.set(address, endpoint);
    }
    if (group.endpoints.size > 0) groups.set(key, group);
  }
  return [...groups.values()].map(({ ports, endpoints }) => ({ ports, endpoints: [...endpoints.values()] }));
}

export function hasTooMany({ subsets }: Endpoints): boolean {
  return (subsets ?? []).some(
    ({ addresses = [], notReadyAddresses = [] }) => addresses.length + notReadyAddresses.length > addressesPerSubsetMax,
  );
}

function mirrored({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(nodeName ? { nodeName } : {}),
    ...(targetRef ? { targetRef } : {}),
  };
}
