import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect as tcpConnect } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect, type ConnectionOptions } from 'node:tls';
import { limitDial } from '../outbound/limit-dial.ts';

/** Where a request is carried on to. */
export interface Backend {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** A kubelet: it is shown our client certificate, and its own is verified. Everyone else gets neither. */
  readonly isKubelet: boolean;
  /** `insecureSkipTLSVerifyBackend` of log requests. */
  readonly insecure?: boolean | undefined;
}

export interface BackendRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: AsyncIterable<Uint8Array> | undefined;
  readonly signal: AbortSignal;
}

export interface BackendResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The way to kubelets, pods and services; a test or a simulated node puts its own in the place. */
export interface KubeletTransport {
  /** Rejects with the network's error. */
  request(backend: Backend, request: BackendRequest): Promise<BackendResponse>;
  /** A connection for raw bytes. Rejects with the network's error. */
  connect(backend: Backend, signal: AbortSignal): Promise<Duplex>;
  close(): void;
}

export interface NetworkTransportOptions {
  /** PEM of the authority of kubelets' serving certificates; without it they are not verified, as upstream. */
  readonly kubeletCa?: string | undefined;
  /** PEM: what the API server shows to kubelets, `kube-apiserver-kubelet-client`. */
  readonly clientCertificate: string;
  readonly clientKey: string;
}

const connectTimeoutMs = 10_000;

/** Over the machine's network; connections to kubelets are kept for a while. */
export function networkTransport(options: NetworkTransportOptions): KubeletTransport {
  const tls = ({ isKubelet, insecure }: Backend): ConnectionOptions => {
    if (!isKubelet) return { rejectUnauthorized: false };
    const { clientCertificate: cert, clientKey: key, kubeletCa: ca } = options;
    return ca && !insecure ? { cert, key, ca } : { cert, key, rejectUnauthorized: false };
  };
  const agents = new Map<boolean, HttpsAgent>();
  const agentFor = (backend: Backend): HttpsAgent => {
    const insecure = backend.insecure ?? false;
    const agent = agents.get(insecure) ?? new HttpsAgent({ ...tls(backend), keepAlive: true, timeout: 30_000 });
    agents.set(insecure, agent);
    return agent;
  };
  return {
    request: (backend, request) =>
      send(backend, request, tls(backend), backend.isKubelet ? agentFor(backend) : undefined),
    connect: (backend, signal) => open(backend, tls(backend), signal),
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

async function send(
  backend: Backend,
  { method, path, headers, body, signal }: BackendRequest,
  tls: ConnectionOptions,
  agent: HttpsAgent | undefined,
): Promise<BackendResponse> {
  const { host, port, scheme } = backend;
  const { request } = scheme === 'https' ? await import('node:https') : await import('node:http');
  const outgoing = request({
    ...tls,
    host,
    port,
    method,
    path,
    signal,
    headers: writable(headers),
    ...(agent && { agent }),
  });
  limitDial(outgoing, scheme === 'https', connectTimeoutMs);
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
  });
  // A failure while the body is on its way is the response's failure, too.
  if (body) {
    const { Readable } = await import('node:stream');
    Readable.from(body)
      .on('error', (error) => outgoing.destroy(error))
      .pipe(outgoing);
  } else outgoing.end();
  const incoming = await response;
  const received: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(incoming.headers)) if (value !== undefined) received[name] = value;
  return { status: incoming.statusCode ?? 502, headers: received, body: incoming };
}

const writable = (headers: BackendRequest['headers']): Record<string, string | string[]> =>
  Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, typeof v === 'string' ? v : [...v]]));

function open({ scheme, host, port }: Backend, tls: ConnectionOptions, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = scheme === 'https' ? tlsConnect({ ...tls, host, port }) : tcpConnect({ host, port });
    const onAbort = () => socket.destroy(new Error('the request was cancelled'));
    const settle = () => {
      signal.removeEventListener('abort', onAbort);
      socket.setTimeout(0);
      socket.removeListener('error', reject);
    };
    socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error(`dial tcp ${host}:${port}: i/o timeout`)));
    socket.setNoDelay(true);
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', reject);
    socket.once(scheme === 'https' ? 'secureConnect' : 'connect', () => {
      settle();
      resolve(socket);
    });
  });
}
