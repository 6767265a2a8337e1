import { StatusError } from '@kubernode/api';
import type { ClusterState, ConnectAnswer, Connector, ConnectRequest } from '../seams.ts';
import type { KubeletTransport } from './kubelet-transport.ts';
import { containerOf, kubeletOfPod, podOf } from './pod-target.ts';
import { handOver } from './upgrade.ts';

/** `pods/exec`, `pods/attach` and `pods/portforward`: the client's connection becomes the kubelet's. */
export function streamConnectors(state: ClusterState, transport: KubeletTransport): Connector[] {
  const connector = (subresource: string, pathOf: PathOf): Connector => ({
    resource: 'pods',
    subresource,
    methods: ['GET', 'POST'],
    connect: (request) => stream(state, transport, request, pathOf),
  });
  return [
    connector('exec', ({ attributes: { namespace, name }, query }, container) => {
      const options = streamQuery(query);
      for (const argument of query.getAll('command')) options.append('command', argument);
      return `/exec/${namespace}/${name}/${container()}?${options.toString()}`;
    }),
    connector('attach', ({ attributes: { namespace, name }, query }, container) => {
      return `/attach/${namespace}/${name}/${container()}?${streamQuery(query).toString()}`;
    }),
    connector('portforward', ({ attributes: { namespace, name }, query }) => {
      const ports = new URLSearchParams();
      for (const port of query.getAll('ports').flatMap((list) => list.split(','))) ports.append('port', port);
      for (const port of query.getAll('port')) ports.append('port', port);
      return `/portForward/${namespace}/${name}${ports.size > 0 ? `?${ports.toString()}` : ''}`;
    }),
  ];
}

/** The kubelet's path for a request; `container` answers the one that is meant, or throws BadRequest. */
type PathOf = (request: ConnectRequest, container: () => string) => string;

async function stream(
  state: ClusterState,
  transport: KubeletTransport,
  request: ConnectRequest,
  pathOf: PathOf,
): Promise<ConnectAnswer> {
  const pod = podOf(state, request.attributes);
  const path = pathOf(request, () => containerOf(pod, request.query.get('container') ?? ''));
  const kubelet = kubeletOfPod(state, pod);
  if (!kubelet) throw StatusError.badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  return handOver(transport, kubelet, path, request);
}

/** The API's names of the streams and the kubelet's. */
const streamNames = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' } as const;

function streamQuery(query: URLSearchParams): URLSearchParams {
  const kubelet = new URLSearchParams();
  for (const [name, kubeletName] of Object.entries(streamNames)) {
    const value = query.get(name);
    if (value !== null && value !== '0' && value.toLowerCase() !== 'false') kubelet.set(kubeletName, '1');
  }
  return kubelet;
}
