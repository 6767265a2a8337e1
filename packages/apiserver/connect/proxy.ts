import type { Random } from '@kubernode/machinery';
import type { Attributes, ClusterState, ConnectAnswer, Connector, ConnectRequest } from '../seams.ts';
import { dialFailure } from './dial-failure.ts';
import type { Backend, BackendResponse, KubeletTransport } from './kubelet-transport.ts';
import { passedBack, passedOn } from './passing-on.ts';
import { nodeBackend, podBackend, serviceBackend } from './proxy-target.ts';
import { handOver } from './upgrade.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** `nodes/proxy`, `pods/proxy` and `services/proxy`: any HTTP request, and upgrades, to what is behind. */
export function proxyConnectors(state: ClusterState, transport: KubeletTransport, random: Random): Connector[] {
  const connector = (resource: string, backendOf: (attributes: Attributes) => Backend): Connector => ({
    resource,
    subresource: 'proxy',
    methods,
    connect: async (request) => proxy(transport, backendOf(request.attributes), request),
  });
  return [
    connector('nodes', (attributes) => nodeBackend(state, attributes)),
    connector('pods', (attributes) => podBackend(state, attributes)),
    connector('services', (attributes) => serviceBackend(state, attributes, random)),
  ];
}

async function proxy(transport: KubeletTransport, backend: Backend, request: ConnectRequest): Promise<ConnectAnswer> {
  const { method, tail, query, signal, body } = request;
  const search = query.size > 0 ? `?${query.toString()}` : '';
  // Relative links of a page must resolve below the proxy.
  if (tail === '' && (method === 'GET' || method === 'HEAD'))
    return { status: 301, headers: { location: `${prefixOf(request.attributes)}/${search}` }, body: undefined };
  const path = (tail || '/') + search;
  if (request.upgrade) return handOver(transport, backend, path, request);
  let response: BackendResponse;
  try {
    response = await transport.request(backend, { method, path, headers: forwardedHeaders(request), body, signal });
  } catch (error) {
    throw dialFailure(method[0] + method.slice(1).toLowerCase(), backend, path, error);
  }
  return {
    status: response.status,
    headers: answerHeaders(response, request.attributes, backend),
    body: response.body,
  };
}

function forwardedHeaders({ headers, attributes, tail }: ConnectRequest): Record<string, string | readonly string[]> {
  const forwarded = passedOn(headers);
  const host = headers['host'] ?? headers[':authority'];
  if (typeof host === 'string') forwarded['x-forwarded-host'] = host;
  forwarded['x-forwarded-proto'] = 'https';
  forwarded['x-forwarded-uri'] = prefixOf(attributes) + tail;
  return forwarded;
}

/** A redirect stays below the proxy. */
function answerHeaders(
  response: BackendResponse,
  attributes: Attributes,
  { scheme, host, port }: Backend,
): Record<string, string | readonly string[]> {
  const headers = passedBack(response.headers);
  const { location } = headers;
  const origin = `${scheme}://${host}:${port}`;
  if (typeof location === 'string') {
    const path = location.startsWith(`${origin}/`) ? location.slice(origin.length) : location;
    if (path.startsWith('/') && !path.startsWith('//')) headers['location'] = prefixOf(attributes) + path;
  }
  return headers;
}

function prefixOf({ resource, namespace, name }: Attributes): string {
  const scope = namespace && resource !== 'nodes' ? `/namespaces/${namespace}` : '';
  return `/api/v1${scope}/${resource}/${encodeURIComponent(name).replaceAll('%3A', ':')}/proxy`;
}
