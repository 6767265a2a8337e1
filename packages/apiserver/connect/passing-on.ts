import type { Duplex } from 'node:stream';

type Received = Readonly<Record<string, string | readonly string[] | undefined>>;
type Headers = Record<string, string | readonly string[]>;

/** RFC 9110 7.6.1: they are about one connection. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

/** Headers that end here: credentials, who asks, and those that are written anew. */
const isOurs = (name: string): boolean =>
  name === 'host' ||
  name === 'authorization' ||
  name.startsWith('impersonate-') ||
  name.startsWith('x-remote-') ||
  name.startsWith(':');

/** What of a request's headers goes on to the server behind. */
export const passedOn = (headers: Received): Headers => kept(headers, (name) => !isOurs(name) && !hopByHop.has(name));

/** The same of a request to upgrade: its connection is handed on, too. */
export const passedOnUpgrade = (headers: Received): Headers => kept(headers, (name) => !isOurs(name));

/** What of an answer's headers goes back to the client. */
export const passedBack = (headers: Received): Headers => kept(headers, (name) => !hopByHop.has(name));

function kept(headers: Received, isKept: (name: string) => boolean): Headers {
  const result: Headers = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined && isKept(name)) result[name] = value;
  return result;
}

/**
 * Copies bytes both ways, whatever is spoken (WebSocket, SPDY/3.1). What one side ends, the other may still answer: stdin
 * may end before the output does. What breaks on one side is over on both, and when the signal aborts.
 */
export function join(client: Duplex, server: Duplex, signal: AbortSignal): void {
  const onAbort = () => client.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  client.on('error', () => server.destroy());
  server.on('error', () => client.destroy());
  client.on('close', () => {
    signal.removeEventListener('abort', onAbort);
    server.destroy();
  });
  server.on('close', () => client.destroy());
  client.pipe(server);
  server.pipe(client);
}
