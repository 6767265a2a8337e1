import { StatusError } from '@kubernode/api';
import { switchProtocols } from '@kubernode/machinery';
import type { ConnectAnswer, ConnectRequest } from '../seams.ts';
import { dialFailure } from './dial-failure.ts';
import { passedBack, passedOnUpgrade } from './passing-on.ts';
import type { Backend, KubeletTransport } from './kubelet-transport.ts';

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
    const answer = await switchProtocols({ client: upgrade, server, method, path, headers, signal });
    if (answer === 'upgraded') return answer;
    return { status: answer.statusCode!, headers: passedBack(answer.headers), body: answer };
  } catch (error) {
    throw dialFailure(method === 'POST' ? 'Post' : 'Get', backend, path, error);
  }
}
