import { StatusError } from '@kubernode/api';
import type { Pod, Service } from '@kubernode/api/core/v1';
import type { EndpointSlice } from '@kubernode/api/discovery/v1';
import type { Random } from '@kubernode/machinery';
import type { Attributes, ClusterState } from '../seams.ts';
import type { Backend } from './kubelet-transport.ts';
import { kubeletOf } from './node-address.ts';
import { podOf } from './pod-target.ts';

/** `https:name:port`, `name:port` or `name` (apimachinery, util/net SplitSchemeNamePort). */
interface ProxyName {
  readonly scheme: 'http' | 'https' | '';
  readonly name: string;
  readonly port: string;
}

function proxyName(text: string, what: string): ProxyName {
  const parts = text.split(':');
  const [scheme, name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  const isValid = parts.length <= 3 && name !== '' && ['http', 'https', ''].includes(scheme ?? '');
  if (!isValid) throw StatusError.badRequest(`invalid ${what} request ${JSON.stringify(text)}`);
  return { scheme: scheme as ProxyName['scheme'], name, port };
}

/** The node's kubelet, or another port of the node. */
export function nodeBackend(state: ClusterState, attributes: Attributes): Backend {
  const { scheme, name, port } = proxyName(attributes.name, 'node');
  const kubelet = kubeletOf(state, name);
  if (port === '' || Number(port) === kubelet.port) return kubelet;
  return { scheme: scheme || 'http', host: kubelet.host, port: portNumber(port), isKubelet: false };
}

/** The pod's own address; its first declared port where none is given. */
export function podBackend(state: ClusterState, attributes: Attributes): Backend {
  const { scheme, name, port } = proxyName(attributes.name, 'pod');
  const pod: Pod = podOf(state, { ...attributes, name });
  const declared = pod.spec.containers.flatMap((container) => container.ports ?? [])[0]?.containerPort;
  const host = pod.status?.podIP;
  if (!host || isForbiddenAddress(host)) throw StatusError.badRequest('address not allowed');
  const chosen = port === '' ? (declared ?? 80) : portNumber(port);
  return { scheme: scheme || 'http', host, port: chosen, isKubelet: false };
}

/** One of the service's ready endpoints, by chance. */
export function serviceBackend(state: ClusterState, attributes: Attributes, random: Random): Backend {
  const { scheme, name, port } = proxyName(attributes.name, 'service');
  const unavailable = (message: string) => StatusError.of('ServiceUnavailable', message);
  const service = state.get('', 'services', name, attributes.namespace) as Service | undefined;
  if (!service && /^\d+$/.test(port)) throw StatusError.notFound({ group: '', plural: 'services' }, name);
  const slices = (
    state.list('discovery.k8s.io', 'endpointslices', attributes.namespace) as readonly EndpointSlice[]
  ).filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name);
  const portName = servicePortName(service, port);
  if (service && portName === undefined && /^\d+$/.test(port))
    throw unavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`);
  const candidates = slices.flatMap((slice) => {
    const slicePort = slice.ports?.find((candidate) => (candidate.name ?? '') === portName)?.port;
    if (!slicePort) return [];
    const ready = slice.endpoints.filter((endpoint) => endpoint.conditions?.ready !== false);
    return ready.flatMap(({ addresses }) => addresses.map((host) => ({ host, port: slicePort })));
  });
  const allowed = candidates.filter(({ host }) => !isForbiddenAddress(host));
  const chosen = allowed[Math.floor(random() * allowed.length)];
  if (!chosen) throw unavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  return { scheme: scheme || 'http', ...chosen, isKubelet: false };
}

/** The name of the asked port: by name, by number, or the only one; undefined where there is no such port. */
function servicePortName(service: Service | undefined, port: string): string | undefined {
  const ports = service?.spec?.ports ?? [];
  if (port === '') return ports.length === 1 ? (ports[0]!.name ?? '') : ports.find(({ name }) => !name)?.name;
  const found = ports.find(({ name, port: number }) => name === port || String(number) === port);
  return found && (found.name ?? '');
}

function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw StatusError.badRequest(`invalid port ${JSON.stringify(text)}`);
}

/** Nobody reaches the API server's own machine, or link-local services such as a cloud's metadata, through a proxy. */
const isForbiddenAddress = (host: string): boolean =>
  /^(127\.|169\.254\.|0\.|22[4-9]\.|23\d\.|::1$|fe80:|ff)/i.test(host);
