import { StatusError } from '@kubernode/api';
import type { ConnectAnswer, ConnectRequest } from '../seams.ts';
import { dialFailure } from './dial-failure.ts';
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
  const client = upgrade.socket;
  let server;
  try {
    server = await transport.connect(backend, signal);
  } catch (error) {
    throw dialFailure(method === 'POST' ? 'Post' : 'Get', backend, path, error);
  }
  const head = [`${method} ${path} HTTP/1.1`, `host: ${backend.host}:${backend.port}`, ...headerLines(request)];
  server.write(`${head.join('\r\n')}\r\n\r\n`);
  if (upgrade.head.length > 0) server.write(upgrade.head);
  client.on('error', () => server.destroy());
  server.on('error', () => client.destroy());
  const onAbort = () => client.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  client.on('close', () => {
    signal.removeEventListener('abort', onAbort);
    server.destroy();
  });
  server.on('close', () => client.destroy());
  // `end` passes on as a half-close: stdin may end before the output does.
  client.pipe(server);
  server.pipe(client);
  return 'upgraded';
}

/** Everything that belongs to the protocol; who asked is between the client and us. */
function headerLines({ headers }: ConnectRequest): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || isOurs(name)) return [];
    return (typeof value === 'string' ? [value] : value).map((one) => `${name}: ${one.replaceAll(/[\r\n]/g, ' ')}`);
  });
}

/** Headers that end here: credentials, and those that we write ourselves. */
export const isOurs = (name: string): boolean =>
  name === 'host' ||
  name === 'authorization' ||
  name.startsWith('impersonate-') ||
  name.startsWith('x-remote-') ||
  name.startsWith(':');
