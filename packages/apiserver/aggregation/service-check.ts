import type { Service } from '@kubernode/api/core/v1';
import type { EndpointSlice } from '@kubernode/api/discovery/v1';
import type { ClusterState } from '../seams.ts';
import type { Availability, RemoteAPIService } from './api-service.ts';

/** What keeps an APIService's Service from leading anywhere; undefined where nothing does. Worded as upstream's. */
export function serviceProblem({ spec }: RemoteAPIService, state: ClusterState): Availability | undefined {
  const { name, namespace, port } = spec.service;
  const named = `service/${name} in ${JSON.stringify(namespace)}`;
  const service = state.get('', 'services', name, namespace) as Service | undefined;
  if (!service) return unavailable('ServiceNotFound', `${named} is not present`);
  if ((service.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return undefined;
  const found = service.spec?.ports?.find((each) => each.port === port);
  if (!found) return unavailable('ServicePortError', `${named} is not listening on port ${port}`);
  const slices = slicesOf(state, namespace, name);
  if (slices.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${named}`);
  const portName = found.name ?? '';
  if (slices.some((slice) => hasEndpoint(slice, portName))) return undefined;
  const message = `endpointslices for ${named} have no addresses with port name ${JSON.stringify(portName)}`;
  return unavailable('MissingEndpoints', message);
}

const unavailable = (reason: string, message: string): Availability => ({ status: 'False', reason, message });

function slicesOf(state: ClusterState, namespace: string, name: string): EndpointSlice[] {
  const all = state.list('discovery.k8s.io', 'endpointslices', namespace) as unknown as readonly EndpointSlice[];
  return all.filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name);
}

function hasEndpoint({ endpoints, ports }: EndpointSlice, portName: string): boolean {
  const isReady = (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false);
  return isReady && (ports ?? []).some((port) => (port.name ?? '') === portName && port.port !== undefined);
}
