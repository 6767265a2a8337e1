import { StatusError } from '@kubernode/api';
import type { Service } from '@kubernode/api/core/v1';
import type { EndpointSlice } from '@kubernode/api/discovery/v1';
import type { Random } from '@kubernode/machinery';
import type { ClusterState } from '../seams.ts';
import type { Address } from './destination.ts';

/** Where a port of a Service is reached now. Throws StatusError, worded as upstream's, where it is not. */
export type ServiceResolver = (namespace: string, name: string, port: number) => Address;

/** By its cluster address, or its external name: the default. */
export function clusterIpResolver(state: ClusterState): ServiceResolver {
  return (namespace, name, port) => {
    const { spec } = serviceOf(state, namespace, name);
    const type = spec?.type ?? 'ClusterIP';
    if (type === 'ClusterIP' && spec?.clusterIP === 'None') {
      throw new Error('cannot route to service with ClusterIP "None"');
    }
    if (type === 'ExternalName') return { host: spec?.externalName ?? '', port };
    if (!routable.has(type)) throw new Error(`unsupported service type ${JSON.stringify(type)}`);
    return { host: spec?.clusterIP ?? '', port: portOf(spec, name, port).port };
  };
}

/** By one of its ready endpoints: `--enable-aggregator-routing`, where the API server's machine has no service proxy. */
export function endpointResolver(state: ClusterState, random: Random): ServiceResolver {
  return (namespace, name, port) => {
    const { spec } = serviceOf(state, namespace, name);
    const type = spec?.type ?? 'ClusterIP';
    if (!routable.has(type)) throw new Error(`unsupported service type ${JSON.stringify(type)}`);
    const portName = portOf(spec, name, port).name ?? '';
    const slices = slicesOf(state, namespace, name, spec?.ipFamilies?.[0]);
    for (const { ports, endpoints } of slices) {
      const number = ports?.find((candidate) => (candidate.name ?? '') === portName)?.port;
      const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false);
      const host = ready[Math.floor(random() * ready.length)]?.addresses[0];
      if (number && host) return { host, port: number };
    }
    throw unavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  };
}

const routable: ReadonlySet<string> = new Set(['ClusterIP', 'LoadBalancer', 'NodePort']);

function serviceOf(state: ClusterState, namespace: string, name: string): Service {
  const service = state.get('', 'services', name, namespace) as Service | undefined;
  if (service) return service;
  throw StatusError.of('NotFound', `service ${JSON.stringify(name)} not found`, { name, kind: 'service' });
}

function portOf(spec: Service['spec'], name: string, port: number) {
  const found = spec?.ports?.find((candidate) => candidate.port === port);
  if (found) return found;
  throw unavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
}

/** Those of the service's first address family come first. */
function slicesOf(state: ClusterState, namespace: string, name: string, family: string | undefined): EndpointSlice[] {
  const all = state.list('discovery.k8s.io', 'endpointslices', namespace) as unknown as readonly EndpointSlice[];
  const own = all.filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name);
  return own.sort((a, b) => Number(b.addressType === family) - Number(a.addressType === family));
}

const unavailable = (message: string) => StatusError.of('ServiceUnavailable', message);
