import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from '@kubernode/api/core/v1';
import { addressesOf } from '../endpointslice/endpoints-of-service.ts';
import { isReady } from '../shared/pods.ts';
import { hostnameFor, mayBeEndpoint, targetPortOn } from '../shared/service-pods.ts';

/** An Endpoints object holds at most so many addresses; slices hold the rest. */
export const addressesMax = 1000;

interface Subset {
  readonly addresses: EndpointAddress[];
  readonly notReadyAddresses: EndpointAddress[];
  readonly ports: EndpointPort[];
}

/** The addresses of a service's pods, grouped by the ports they resolve to. */
export function subsetsOfService(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const { publishNotReadyAddresses = false, ipFamilies, ports = [] } = service.spec;
  const subsets = new Map<string, Subset>();
  for (const pod of pods) {
    const [ip] = addressesOf(pod, ipFamilies?.[0] ?? 'IPv4');
    if (ip === undefined || !mayBeEndpoint(pod, publishNotReadyAddresses)) continue;
    const found = portsOn(pod, service);
    if (ports.length > 0 && found.length === 0) continue;
    const key = JSON.stringify(found);
    const subset = subsets.get(key) ?? { addresses: [], notReadyAddresses: [], ports: found };
    subsets.set(key, subset);
    const list = publishNotReadyAddresses || isReady(pod) ? subset.addresses : subset.notReadyAddresses;
    list.push(addressOf(pod, service, ip));
  }
  return [...subsets.values()].map(canonical);
}

function portsOn(pod: Pod, { spec }: Service): EndpointPort[] {
  return (spec.ports ?? []).flatMap((servicePort) => {
    const port = targetPortOn(pod, servicePort);
    if (port === undefined) return [];
    const { name, protocol = 'TCP', appProtocol } = servicePort;
    return [{ ...(name ? { name } : {}), port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function addressOf(pod: Pod, service: Service, ip: string): EndpointAddress {
  const { name, namespace, uid } = pod.metadata;
  const hostname = hostnameFor(pod, service);
  return {
    ip,
    ...(hostname ? { hostname } : {}),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

/** In an order that does not change with the pods' order, and without empty lists. */
export function canonical({ addresses, notReadyAddresses, ports }: EndpointSubset): EndpointSubset {
  return {
    ...(addresses?.length ? { addresses: addresses.toSorted(byAddress) } : {}),
    ...(notReadyAddresses?.length ? { notReadyAddresses: notReadyAddresses.toSorted(byAddress) } : {}),
    ...(ports?.length ? { ports: ports.toSorted(by((port) => JSON.stringify([port.name, port.port]))) } : {}),
  };
}

/** The ready addresses first, as many as may be. */
export function truncated(subsets: readonly EndpointSubset[]): { subsets: EndpointSubset[]; isTruncated: boolean } {
  let left = addressesMax;
  const take = (addresses: readonly EndpointAddress[] = []) => {
    const taken = addresses.slice(0, left);
    left -= taken.length;
    return taken;
  };
  const ready = subsets.map(({ addresses }) => take(addresses));
  const cut = subsets.map((subset, index) => ({
    ...subset,
    addresses: ready[index]!,
    notReadyAddresses: take(subset.notReadyAddresses),
  }));
  const isTruncated = countOf(subsets) > addressesMax;
  return {
    subsets: cut.filter((subset) => countOf([subset]) > 0).map(canonical),
    isTruncated,
  };
}

function countOf(subsets: readonly EndpointSubset[]): number {
  return subsets.reduce(
    (sum, { addresses, notReadyAddresses }) => sum + (addresses?.length ?? 0) + (notReadyAddresses?.length ?? 0),
    0,
  );
}

const by =
  <T>(keyOf: (item: T) => string) =>
  (a: T, b: T) => {
    const [x, y] = [keyOf(a), keyOf(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  };

const byAddress = by(({ ip, targetRef }: EndpointAddress) => `${ip} ${targetRef?.uid}`);
