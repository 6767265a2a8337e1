import type { IncomingMessage } from 'node:http';
import type { Agent, RequestOptions } from 'node:https';
import { connect as tcpConnect, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { checkServerIdentity, connect as tlsConnect, type ConnectionOptions } from 'node:tls';
import type { Address, Destination } from './destination.ts';
import { limitDial } from './limit-dial.ts';

/** Kept connections are closed after this long without a request. */
const idleMs = 90_000;
/** Sets of kept connections; the oldest is forgotten and dies of idleness. */
const agentsMax = 256;

export interface Sent {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  readonly signal: AbortSignal;
}

/** Connections to servers outside, kept alive and shared by address and trust. Speaks HTTP/1.1. */
export class Connections {
  readonly #agents = new Map<string, Agent>();
  readonly #dialTimeoutMs: number;

  constructor(dialTimeoutMs: number) {
    this.#dialTimeoutMs = dialTimeoutMs;
  }

  /**
   * Rejects with the network's own error. A kept connection that the other side had closed is replaced once, where the
   * body can be sent again.
   */
  async send(destination: Destination, { host, port }: Address, sent: Sent): Promise<IncomingMessage> {
    const options: RequestOptions = {
      host,
      port,
      method: sent.method,
      path: sent.path,
      headers: { host: destination.authority, ...writable(sent.headers) },
      signal: sent.signal,
      agent: await this.#agent(destination),
    };
    const isRepeatable = sent.body === undefined || sent.body instanceof Uint8Array;
    try {
      return await exchange(destination, options, sent.body, this.#dialTimeoutMs);
    } catch (error) {
      if (!isRepeatable || !(error as StaleError).isStale || sent.signal.aborted) throw error;
      const agent = await agentFor(destination, false);
      return exchange(destination, { ...options, agent }, sent.body, this.#dialTimeoutMs);
    }
  }

  /** A connection for raw bytes, TLS done: for upgrades. Rejects with the network's own error. */
  open(destination: Destination, { host, port }: Address, signal: AbortSignal): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      const isTls = destination.scheme === 'https';
      const servername = destination.trust.serverName ?? hostOf(destination.authority);
      const name = isIP(servername) ? {} : { servername };
      const socket = isTls ? tlsConnect({ ...name, ...tlsOf(destination), host, port }) : tcpConnect({ host, port });
      const onAbort = () => socket.destroy(signal.reason as Error);
      socket.setTimeout(this.#dialTimeoutMs, () =>
        socket.destroy(Object.assign(new Error('i/o timeout'), { code: 'ETIMEDOUT' })),
      );
      socket.setNoDelay(true);
      signal.addEventListener('abort', onAbort, { once: true });
      socket.once('close', () => signal.removeEventListener('abort', onAbort));
      socket.once('error', reject);
      socket.once(isTls ? 'secureConnect' : 'connect', () => {
        signal.removeEventListener('abort', onAbort);
        socket.setTimeout(0);
        socket.removeListener('error', reject);
        resolve(socket);
      });
    });
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  async #agent(destination: Destination): Promise<Agent> {
    const known = this.#agents.get(destination.key);
    if (known) return known;
    const agent = await agentFor(destination, true);
    const meanwhile = this.#agents.get(destination.key);
    if (meanwhile) return meanwhile;
    const [oldest] = this.#agents.keys();
    if (oldest !== undefined && this.#agents.size >= agentsMax) this.#agents.delete(oldest);
    this.#agents.set(destination.key, agent);
    return agent;
  }
}

/** Node keeps a connection only where its TLS options are the agent's, not the request's. */
async function agentFor(to: Destination, keepAlive: boolean): Promise<Agent> {
  const { Agent } = to.scheme === 'https' ? await import('node:https') : await import('node:http');
  return new Agent({ ...tlsOf(to), keepAlive, timeout: idleMs }) as Agent;
}

interface StaleError extends NodeJS.ErrnoException {
  isStale?: boolean;
}

async function exchange(
  { scheme }: Destination,
  options: RequestOptions,
  body: Sent['body'],
  dialTimeoutMs: number,
): Promise<IncomingMessage> {
  const { request } = scheme === 'https' ? await import('node:https') : await import('node:http');
  const outgoing = request(options);
  limitDial(outgoing, scheme === 'https', dialTimeoutMs);
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve);
    // An upgrade that was asked for as a plain request is answered without its connection.
    outgoing.on('upgrade', (incoming, socket) => {
      socket.destroy();
      resolve(incoming);
    });
    outgoing.on('error', (error: StaleError) => {
      error.isStale = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(error);
    });
  });
  if (body === undefined || body instanceof Uint8Array) outgoing.end(body);
  else {
    const { Readable } = await import('node:stream');
    Readable.from(body)
      .on('error', (error) => outgoing.destroy(error))
      .pipe(outgoing);
  }
  return response;
}

function tlsOf({ scheme, trust, credentials }: Destination): ConnectionOptions {
  if (scheme === 'http') return {};
  const { ca, serverName, insecureSkipTlsVerify } = trust;
  const { certificate, key } = credentials;
  return {
    ALPNProtocols: ['http/1.1'],
    ...(ca && { ca }),
    ...(serverName && { servername: serverName }),
    ...(certificate && { cert: certificate }),
    ...(key && { key }),
    ...(insecureSkipTlsVerify ? { rejectUnauthorized: false } : { checkServerIdentity: identityBySan }),
  };
}

/** A common name is no name of a server any more. */
const identityBySan: NonNullable<ConnectionOptions['checkServerIdentity']> = (host, certificate) => {
  const found = checkServerIdentity(host, certificate);
  if (found || certificate.subjectaltname) return found;
  const error = new Error('the certificate has no subject alternative names');
  return Object.assign(error, { code: 'ERR_TLS_CERT_ALTNAME_INVALID', host, cert: certificate });
};

const hostOf = (authority: string) => authority.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');

const writable = (headers: Sent['headers']): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
