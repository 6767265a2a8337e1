import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ConnectAnswer } from '../seams.ts';
import { join, passedBack } from './passing-on.ts';

const { request: httpRequest } = process.getBuiltinModule('node:http');

/** A server that says neither yes nor no to an upgrade is not waited for any longer. */
const answerMsMax = 60_000;

interface Switching {
  /** Its connection, and what it sent after its request's head. */
  readonly client: { readonly socket: Duplex; readonly head: Uint8Array };
  /** A fresh connection to the server behind. */
  readonly server: Duplex;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly signal: AbortSignal;
}

/**
 * Asks the server behind to switch protocols. Only when it did is the client's connection its own, and are bytes copied
 * both ways: before that the server takes what comes for requests of ours, under our name (CVE-2018-1002105). A refusal
 * is the answer. Rejects with the network's error, and where the server would go on in HTTP.
 */
export async function switchProtocols({ client, server, signal, ...asked }: Switching): Promise<ConnectAnswer> {
  const { incoming, head } = await answerOf(server, asked, signal);
  const { statusCode = 0 } = incoming;
  if (statusCode === 101) {
    client.socket.write(headOf(incoming));
    if (head.length > 0) client.socket.write(head);
    if (client.head.length > 0) server.write(client.head);
    join(client.socket, server, signal);
    return 'upgraded';
  }
  // Node takes a connection that was asked to switch for one to keep.
  if (statusCode >= 400) {
    incoming.once('close', () => server.destroy());
    return { status: statusCode, headers: passedBack(received(incoming)), body: incoming };
  }
  server.destroy();
  throw new Error(`invalid upgrade response: status code ${statusCode}`);
}

function answerOf(
  server: Duplex,
  { method, path, headers }: Pick<Switching, 'method' | 'path' | 'headers'>,
  signal: AbortSignal,
): Promise<{ readonly incoming: IncomingMessage; readonly head: Buffer }> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ createConnection: () => server, method, path, headers: bare(headers) });
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
const bare = (headers: Switching['headers']): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !aboutBody.has(name))
      .map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );

const aboutBody: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'expect', 'trailer']);

/** As it came: names of headers keep their case. */
function headOf({ rawHeaders, statusMessage = '' }: IncomingMessage): string {
  let text = `HTTP/1.1 101 ${statusMessage}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2)
    text += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`;
  return `${text}\r\n`;
}

const received = ({ headers }: IncomingMessage) => headers as Record<string, string | readonly string[] | undefined>;
