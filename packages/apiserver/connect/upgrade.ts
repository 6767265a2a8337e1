import { StatusError } from '@kubernode/api';
import type { ConnectAnswer, ConnectRequest } from '../seams.ts';
import { dialFailure } from './dial-failure.ts';
import { join, passedOnUpgrade, writeHead } from './passing-on.ts';
import type { Backend, KubeletTransport } from './kubelet-transport.ts';

/**
 * Hands the client's connection over to the backend: the request is sent on with its upgrade headers, and from then on
 * bytes are copied both ways, the backend's answer to the upgrade first. Whatever is spoken (WebSocket, SPDY/3.1)
 * passes unchanged.
 */
export async function handOver(
  transport: KubeletTransport,
  backend: Backend,
  path: string,
  request: ConnectRequest,
): Promise<ConnectAnswer> {
  const { upgrade, method, signal } = request;
  if (!upgrade) throw StatusError.badRequest('Upgrade request required');
  let server;
  try {
    server = await transport.connect(backend, signal);
  } catch (error) {
    throw dialFailure(method === 'POST' ? 'Post' : 'Get', backend, path, error);
  }
  const headers = { host: `${backend.host}:${backend.port}`, ...passedOnUpgrade(request.headers) };
  writeHead(server, `${method} ${path}`, headers, upgrade.head);
  join(upgrade.socket, server, signal);
  return 'upgraded';
}
