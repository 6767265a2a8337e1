import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** A server that says neither yes nor no to an upgrade is not waited for any longer. */
const answerMsMax = 60_000;
/** What a server that is gone has said last is at most a buffer full: its client has so long to take it. */
const lastWordsMsMax = 60_000;

export interface Switching {
  /** Its connection, which HTTP has let go of, and what it sent after its request's head. */
  readonly client: { readonly socket: Duplex; readonly head: Uint8Array };
  /** A fresh connection to the server behind. */
  readonly server: Duplex;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Those of the client that are for the server, and `host`. What they say of a body is left out. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly signal: AbortSignal;
}

/**
 * Asks the server behind to switch protocols. Only when it did is the client's connection its own, and are bytes copied
 * both ways: before that the server takes what comes for requests of ours, under our name (CVE-2018-1002105). Its
 * refusal (400 and above) is answered, with the body to be read. Rejects with the network's error, and where the server
 * would go on in HTTP.
 */
export async function switchProtocols({
  client,
  server,
  signal,
  ...asked
}: Switching): Promise<'upgraded' | IncomingMessage> {
  const { incoming, head } = await answerOf(server, asked, signal);
  const { statusCode = 0 } = incoming;
  if (statusCode === 101) {
    // Who was gone before anybody listened tells nobody: the server would wait for its words for ever.
    if (client.socket.destroyed) {
      server.destroy();
      throw new Error('context canceled');
    }
    client.socket.write(headOf(incoming));
    if (head.length > 0) client.socket.write(head);
    if (client.head.length > 0) server.write(client.head);
    join(client.socket, server, signal);
    return 'upgraded';
  }
  // Node takes a connection that was asked to switch for one to keep.
  if (statusCode >= 400) {
    incoming.once('close', () => server.destroy());
    return incoming;
  }
  server.destroy();
  throw new Error(`invalid upgrade response: status code ${statusCode}`);
}

function answerOf(
  server: Duplex,
  { method, path, headers }: Pick<Switching, 'method' | 'path' | 'headers'>,
  signal: AbortSignal,
): Promise<{ readonly incoming: IncomingMessage; readonly head: Buffer }> {
  const { request } = process.getBuiltinModule('node:http');
  return new Promise((resolve, reject) => {
    const outgoing = request({ createConnection: () => server, method, path, headers: bare(headers) });
    const onAbort = () => outgoing.destroy(new Error('context canceled'));
    const timer = setTimeout(() => outgoing.destroy(new Error('i/o timeout')), answerMsMax);
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    outgoing.on('upgrade', (incoming, _socket, head: Buffer) => {
      settle();
      resolve({ incoming, head });
    });
    outgoing.on('response', (incoming) => {
      settle();
      resolve({ incoming, head: Buffer.alloc(0) });
    });
    outgoing.on('error', (error) => {
      settle();
      server.destroy();
      reject(error);
    });
    if (signal.aborted) onAbort();
    else outgoing.end();
  });
}

/** An upgrade carries no body: what the client says of one is not for the server to wait for. */
function bare(headers: Switching['headers']): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || aboutBody.has(name)) continue;
    result[name] = typeof value === 'string' ? value : [...value];
  }
  return result;
}

const aboutBody: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'expect', 'trailer']);

/** As it came: names of headers keep their case. */
function headOf({ rawHeaders, statusMessage = '' }: IncomingMessage): string {
  let text = `HTTP/1.1 101 ${statusMessage}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2)
    text += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`;
  return `${text}\r\n`;
}

/**
 * Copies bytes both ways, whatever is spoken (WebSocket, SPDY/3.1). What one side ends, the other may still answer: stdin
 * may end before the output does. What breaks on one side is over on both, and when the signal aborts.
 */
function join(client: Duplex, server: Duplex, signal: AbortSignal): void {
  const onAbort = () => client.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  client.on('error', () => server.destroy());
  server.on('error', () => client.destroy());
  client.on('close', () => {
    signal.removeEventListener('abort', onAbort);
    server.destroy();
  });
  server.on('close', () => {
    if (client.writableEnded) letTake(client);
    else client.destroy();
  });
  client.pipe(server);
  server.pipe(client);
}

/** Ends the connection when what was written last is taken. */
function letTake(client: Duplex): void {
  if (client.writableFinished) return void client.destroy();
  const timer = setTimeout(() => client.destroy(), lastWordsMsMax);
  client.once('finish', () => client.destroy());
  client.once('close', () => clearTimeout(timer));
}
