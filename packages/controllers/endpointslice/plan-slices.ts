import type { Endpoint, EndpointPort, EndpointSlice } from '@kubernode/api/discovery/v1';
import { deepEqual } from '@kubernode/machinery';

/** Endpoints that serve on the same ports; each slice holds such. */
export interface PortGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface SlicePlanInput {
  /** Of one owner and one address family. */
  readonly existing: readonly EndpointSlice[];
  readonly groups: readonly PortGroup[];
  readonly endpointsMax: number;
  /** Whether a slice's labels and annotations are as they should be. */
  readonly hasMetadata: (slice: EndpointSlice) => boolean;
}

export interface SliceContent {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface SlicePlan {
  readonly create: readonly SliceContent[];
  readonly update: readonly { readonly slice: EndpointSlice; readonly endpoints: readonly Endpoint[] }[];
  readonly remove: readonly EndpointSlice[];
}

/**
 * The fewest writes that bring slices to what is wanted, not the fewest slices: endpoints stay where they are; new ones
 * go to slices that change anyway, then to one that can take all the rest, then to new slices. Linear in the endpoints.
 */
export function planSlices({ existing, groups, endpointsMax, hasMetadata }: SlicePlanInput): SlicePlan {
  const create: SliceContent[] = [];
  const update: { slice: EndpointSlice; endpoints: Endpoint[] }[] = [];
  const remove: EndpointSlice[] = [];
  const slicesByPorts = Map.groupBy(existing, ({ ports }) => portsKey(ports));
  for (const { ports, endpoints } of groups) {
    const key = portsKey(ports);
    const slices = slicesByPorts.get(key) ?? [];
    slicesByPorts.delete(key);
    const wanted = new Map(endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]));
    const kept = slices.map((slice) => keepIn(slice, wanted, hasMetadata));
    place([...wanted.values()], kept, endpointsMax, (rest) => create.push({ ports, endpoints: rest }));
    for (const { slice, endpoints: content, changed } of kept) {
      if (content.length === 0) remove.push(slice);
      else if (changed) update.push({ slice, endpoints: content });
    }
  }
  for (const slices of slicesByPorts.values()) remove.push(...slices);
  return { create, update, remove };
}

interface Kept {
  readonly slice: EndpointSlice;
  readonly endpoints: Endpoint[];
  changed: boolean;
}

/** Takes from `wanted` what the slice already holds. */
function keepIn(
  slice: EndpointSlice,
  wanted: Map<string, Endpoint>,
  hasMetadata: (slice: EndpointSlice) => boolean,
): Kept {
  const kept: Kept = { slice, endpoints: [], changed: !hasMetadata(slice) };
  for (const present of slice.endpoints ?? []) {
    const key = endpointKey(present);
    const endpoint = wanted.get(key);
    if (endpoint) kept.endpoints.push(endpoint);
    if (!endpoint || !deepEqual(endpoint, present)) kept.changed = true;
    wanted.delete(key);
  }
  return kept;
}

function place(
  endpoints: Endpoint[],
  kept: readonly Kept[],
  endpointsMax: number,
  create: (endpoints: readonly Endpoint[]) => void,
): void {
  const byFill = kept.toSorted((a, b) => b.endpoints.length - a.endpoints.length);
  for (const slice of byFill) {
    if (slice.changed && slice.endpoints.length > 0)
      slice.endpoints.push(...endpoints.splice(0, endpointsMax - slice.endpoints.length));
  }
  const rest = endpoints.length % endpointsMax;
  const withRoom = byFill.find(
    ({ changed, endpoints: content }) => rest > 0 && !changed && content.length + rest <= endpointsMax,
  );
  if (withRoom) {
    withRoom.endpoints.push(...endpoints.splice(0, rest));
    withRoom.changed = true;
  }
  while (endpoints.length > 0) create(endpoints.splice(0, endpointsMax));
}

function portsKey(ports: readonly EndpointPort[] | undefined | null): string {
  const texts = (ports ?? []).map(({ name, port, protocol, appProtocol }) =>
    JSON.stringify([name, port, protocol, appProtocol]),
  );
  return texts.toSorted().join();
}

/** What makes an endpoint another one, rather than the same in a new state. */
function endpointKey({ addresses, hostname, targetRef, nodeName, zone }: Endpoint): string {
  return JSON.stringify([addresses, hostname, targetRef?.uid, targetRef?.name, nodeName, zone]);
}
