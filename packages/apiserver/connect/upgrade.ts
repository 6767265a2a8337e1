import { StatusError } from '@kubernode/api';
import type { ConnectAnswer, ConnectRequest } from '../seams.ts';
import { dialFailure } from './dial-failure.ts';
import { passedOnUpgrade } from './passing-on.ts';
import type { Backend, KubeletTransport } from './kubelet-transport.ts';
import { switchProtocols } from './switch-protocols.ts';

/**
 * Hands the client's connection over to the backend: the request is sent on with its upgrade headers, and once the backend
 * has switched, bytes are copied both ways. Whatever is spoken (WebSocket, SPDY/3.1) passes unchanged.
 */
export async function handOver(
  transport: KubeletTransport,
  backend: Backend,
  path: string,
  request: ConnectRequest,
): Promise<ConnectAnswer> {
  const { upgrade, method, signal } = request;
  if (!upgrade) throw StatusError.badRequest('Upgrade request required');
  try {
    const server = await transport.connect(backend, signal);
    const headers = { host: `${backend.host}:${backend.port}`, ...passedOnUpgrade(request.headers) };
    return await switchProtocols({ client: upgrade, server, method, path, headers, signal });
  } catch (error) {
    throw dialFailure(method === 'POST' ? 'Post' : 'Get', backend, path, error);
  }
}
