import { offeredProtocols } from '../authentication/websocket-token.ts';

type Received = Readonly<Record<string, string | readonly string[] | undefined>>;
type Headers = Record<string, string | readonly string[]>;

const protocolsHeader = 'sec-websocket-protocol';

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
export const passedOn = (headers: Received): Headers =>
  withoutToken(kept(headers, (name) => !isOurs(name) && !hopByHop.has(name)));

/** The same of a request to upgrade: its connection is handed on, too. */
export const passedOnUpgrade = (headers: Received): Headers => withoutToken(kept(headers, (name) => !isOurs(name)));

/** What of an answer's headers goes back to the client. */
export const passedBack = (headers: Received): Headers => kept(headers, (name) => !hopByHop.has(name));

function withoutToken(headers: Headers): Headers {
  const named = headers[protocolsHeader];
  if (typeof named !== 'string') return headers;
  const { protocols, tokens } = offeredProtocols(named);
  if (tokens.length > 0) headers[protocolsHeader] = protocols.join(', ');
  return headers;
}

function kept(headers: Received, isKept: (name: string) => boolean): Headers {
  const result: Headers = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined && isKept(name)) result[name] = value;
  return result;
}
