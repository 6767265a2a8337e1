import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import type { Clock, Logger, Random } from '@kubernode/machinery';
import type { ClusterState } from '../seams.ts';
import { Connections } from './connections.ts';
import {
  destination,
  urlDestination,
  type Address,
  type ClientConfig,
  type Credentials,
  type Destination,
  type Trust,
} from './destination.ts';
import { callFailed, OutboundError, timedOut } from './failure.ts';
import { clusterIpResolver, endpointResolver } from './service-resolver.ts';
import { wholeBody } from './whole-body.ts';

export interface OutboundOptions {
  readonly state: ClusterState;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: Random;
  /** `--enable-aggregator-routing`: services are reached by their endpoints, not by their cluster addresses. */
  readonly routeToEndpoints?: boolean | undefined;
  /** Where this server listens: the Service `kubernetes` in `default`, asked for by a webhook, is itself. */
  readonly loopback?: (() => Address | undefined) | undefined;
}

export interface PostOptions {
  readonly timeoutMs: number;
  /** On top of `content-type`, `accept`, `user-agent` and what the credentials say. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Joined to the destination's path and query: `{ timeout: '10s' }`. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The whole body, at most 16 MiB. */
  readonly body: Uint8Array;
}

export interface StreamRequest {
  readonly method: string;
  /** With the query; not joined with the destination's. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: AsyncIterable<Uint8Array> | undefined;
  readonly signal: AbortSignal;
}

export interface StreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
  /** For a body that nobody reads: its connection is taken until then. */
  discard(): void;
}

/** Calls of the API server to servers outside: webhooks and extension API servers. */
export interface Outbound {
  /**
   * Where a `clientConfig` leads. A service's certificate must be for `<name>.<namespace>.svc`, and its address is
   * looked up at each call. Throws for neither or a bad URL. Make it once per configuration, not per call.
   */
  destination(config: ClientConfig, credentials?: CredentialsFor): Destination;
  /** As `destination`, with a choice of trust: an APIService's `insecureSkipTLSVerify`. `ca` is PEM. */
  service(
    reference: { namespace: string; name: string; port?: number | undefined },
    more?: ServiceOptions,
  ): Destination;
  /**
   * POSTs JSON and answers what came, whatever its status (`failedAnswer` says what a bad one means). Bytes are taken
   * as JSON that is encoded already. Rejects with OutboundError: `Post "https://…": context deadline exceeded`.
   */
  post(to: Destination, body: unknown, options: PostOptions): Promise<PostAnswer>;
  /** Any request, its body and its answer's streamed. Rejects with OutboundError before the answer's headers are there. */
  stream(to: Destination, request: StreamRequest): Promise<StreamAnswer>;
  /** A raw connection, TLS done, to hand an upgraded client over to. Rejects with OutboundError. */
  connect(to: Destination, signal: AbortSignal): Promise<Duplex>;
  /** Ends what is kept and what is under way. */
  close(): void;
}

/** By `host:port`: `readKubeconfig(path).credentialsFor`. */
export type CredentialsFor = (hostPort: string) => Credentials;

export interface ServiceOptions {
  readonly trust?: Trust | undefined;
  readonly credentials?: Credentials | undefined;
  readonly path?: string | undefined;
}

const dialTimeoutMs = 30_000;
const answerBytesMax = 16 * 1024 * 1024;
const tokenFileMs = 60_000;
const userAgent = 'kube-apiserver-admission';

/** Opens nothing before the first call. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { state, clock, random, routeToEndpoints, loopback } = options;
  const connections = new Connections(dialTimeoutMs);
  const authorization = authorizationOf(clock);
  const resolve = routeToEndpoints ? endpointResolver(state, random) : clusterIpResolver(state);
  const service: Outbound['service'] = (
    { namespace, name, port = 443 },
    { trust, credentials = {}, path = '' } = {},
  ) => {
    const isOwn = namespace === 'default' && name === 'kubernetes' && port === 443;
    const serverName = trust?.serverName ?? `${name}.${namespace}.svc`;
    return destination({
      scheme: 'https',
      authority: `${name}.${namespace}.svc:${port}`,
      path,
      query: '',
      address: () => (isOwn && loopback?.()) || resolve(namespace, name, port),
      trust: { ...trust, serverName },
      credentials,
    });
  };
  const open = async <T>(
    to: Destination,
    method: string,
    path: string,
    run: (address: Address) => Promise<T>,
  ): Promise<T> => {
    const url = `${to.scheme}://${to.authority}${path}`;
    let address: Address | undefined;
    try {
      address = to.address();
      return await run(address);
    } catch (error) {
      throw error instanceof OutboundError ? error : callFailed(method, url, error, address ? textOf(address) : '');
    }
  };
  return {
    service,
    destination({ url, service: reference, caBundle }, credentialsFor = () => ({})) {
      const ca = caBundle ? Buffer.from(caBundle, 'base64').toString('utf8') : undefined;
      if (reference) {
        const { namespace, name, port = 443, path } = reference;
        const credentials = credentialsFor(`${name}.${namespace}.svc:${port}`);
        return service(reference, { trust: { ca }, credentials, path: path ? withSlash(path) : '' });
      }
      if (!url) throw new Error('webhook configuration must have either service or URL');
      const plain = urlDestination(url, { ca });
      const hostPort = /:\d+$/.test(plain.authority) ? plain.authority : `${plain.authority}:443`;
      return urlDestination(url, { ca }, credentialsFor(hostPort));
    },
    async post(to, body, { timeoutMs, headers, query, signal }) {
      const path = pathOf(to, query);
      const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
      const deadline = new AbortController();
      const isLate = () => deadline.signal.aborted && !signal?.aborted;
      const cancel = clock.after(timeoutMs, () => deadline.abort());
      const onAbort = () => deadline.abort();
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        return await open(to, 'POST', path, async (address) => {
          const sent = {
            method: 'POST',
            path,
            headers: {
              ...jsonHeaders,
              ...authorization(to.credentials),
              ...headers,
              'content-length': `${bytes.length}`,
            },
            body: bytes,
            signal: deadline.signal,
          };
          const incoming = await connections.send(to, address, sent);
          return {
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: await wholeBody(incoming, answerBytesMax),
          };
        });
      } catch (error) {
        if (!isLate()) throw error;
        const url = JSON.stringify(`${to.scheme}://${to.authority}${path}`);
        throw new OutboundError(`Post ${url}: ${timedOut}`, { isTimeout: true, cause: error });
      } finally {
        cancel();
        signal?.removeEventListener('abort', onAbort);
      }
    },
    stream: (to, { method, path, headers, body, signal }) =>
      open(to, method, path, async (address) => {
        const all = { ...authorization(to.credentials), ...headers };
        const incoming = await connections.send(to, address, { method, path, headers: all, body, signal });
        return {
          status: incoming.statusCode ?? 502,
          headers: incoming.headers,
          body: incoming,
          discard: () => void incoming.destroy(),
        };
      }),
    connect: (to, signal) => open(to, 'GET', to.path || '/', (address) => connections.open(to, address, signal)),
    close: () => connections.close(),
  };
}

const jsonHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, */*',
  'user-agent': userAgent,
};

const withSlash = (path: string) => (path.startsWith('/') ? path : `/${path}`);
const textOf = ({ host, port }: Address) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);

function pathOf({ path, query: own }: Destination, query: Readonly<Record<string, string>> = {}): string {
  const search = [own, new URLSearchParams(query).toString()].filter(Boolean).join('&');
  return (path || '/') + (search && `?${search}`);
}

/** The `authorization` header of credentials; files are read again once a minute, and kept where they are gone. */
function authorizationOf(clock: Clock): (credentials: Credentials) => Record<string, string> {
  const files = new Map<string, { readonly token: string; readonly atMs: number }>();
  const fromFile = (path: string): string => {
    const known = files.get(path);
    if (known && clock.now() - known.atMs < tokenFileMs) return known.token;
    try {
      const token = readFileSync(path, 'utf8').trim();
      files.set(path, { token, atMs: clock.now() });
      return token;
    } catch (error) {
      if (known) return known.token;
      throw error;
    }
  };
  return ({ token, tokenFile, username, password }) => {
    const bearer = tokenFile ? fromFile(tokenFile) : token;
    if (bearer) return { authorization: `Bearer ${bearer}` };
    if (!username) return {};
    return { authorization: `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}` };
  };
}
