import { StatusError } from '@kubernode/api';
import type { ClusterState, ConnectAnswer, Connector, ConnectRequest } from '../seams.ts';
import { dialFailure } from './dial-failure.ts';
import type { BackendResponse, KubeletTransport } from './kubelet-transport.ts';
import { kubeletLogQuery } from './log-options.ts';
import { failure } from './node-address.ts';
import { containerOf, kubeletOfPod, podOf } from './pod-target.ts';

/** How much of a kubelet's refusal is passed on. */
const errorBytesMax = 2048;

/** `pods/log`: the kubelet's answer, as it comes. */
export function logConnector(state: ClusterState, transport: KubeletTransport): Connector {
  return {
    resource: 'pods',
    subresource: 'log',
    methods: ['GET'],
    connect: (request) => readLog(state, transport, request),
  };
}

async function readLog(
  state: ClusterState,
  transport: KubeletTransport,
  request: ConnectRequest,
): Promise<ConnectAnswer> {
  const { attributes, query, signal } = request;
  const kubeletQuery = kubeletLogQuery(query, attributes.name);
  const pod = podOf(state, attributes);
  const container = containerOf(pod, query.get('container') ?? '');
  const kubelet = kubeletOfPod(state, pod);
  if (!kubelet) return { status: 204, headers: {}, body: undefined };
  const insecure = ['true', '1'].includes(query.get('insecureSkipTLSVerifyBackend') ?? '');
  const suffix = kubeletQuery.size > 0 ? `?${kubeletQuery.toString()}` : '';
  const path = `/containerLogs/${attributes.namespace}/${attributes.name}/${container}${suffix}`;
  const backend = { ...kubelet, insecure };
  let response: BackendResponse;
  try {
    response = await transport.request(backend, { method: 'GET', path, headers: {}, body: undefined, signal });
  } catch (error) {
    throw dialFailure('Get', backend, path, error);
  }
  if (response.status < 200 || response.status > 206) throw await refusal(response, attributes.name);
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: response.body };
}

/** The kubelet's words, under its code (registry/rest, GenericHttpResponseChecker). */
async function refusal({ status, body }: BackendResponse, name: string): Promise<StatusError> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= errorBytesMax) break;
  }
  const text = Buffer.concat(chunks).subarray(0, errorBytesMax).toString('utf8').trim();
  if (status === 400) return StatusError.badRequest(text);
  if (status === 500)
    return StatusError.of('InternalError', `Internal error occurred: ${text}`, { causes: [{ message: text }] });
  if (status === 404)
    return StatusError.of('NotFound', `the server could not find the requested resource (${text})`, {
      name,
      kind: 'pods',
    });
  return failure(text || `the kubelet answered ${status}`, status);
}
