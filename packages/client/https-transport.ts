import { readFile } from 'node:fs/promises';
import { StatusError, type ApiRequest, type StreamResponse, type Transport, type WatchEvent } from '@kubernode/api';
import type { Status } from '@kubernode/api/meta/v1';
import { sleep, systemClock, type Clock, parseJsonExactly } from '@kubernode/machinery';
import type { Agent, Dispatcher } from 'undici';
import { JsonLines } from './json-lines.ts';
import type { CredentialSource, ShownCredentials } from './exec-credentials.ts';
import { statusErrorFromHttp } from './status-from-http.ts';
import { asTyped } from './as-typed.ts';

export interface HttpsTransportOptions {
  /** `https://10.0.0.1:6443`, with a path where a proxy needs one. */
  readonly server: string;
  /** PEM of the authorities to trust; default: those that Node trusts. */
  readonly ca?: string | Uint8Array | undefined;
  /** PEM of the client certificate and its key. */
  readonly certificate?: string | Uint8Array | undefined;
  readonly key?: string | Uint8Array | undefined;
  readonly token?: string | undefined;
  /** Asked before each request, instead of a token and a certificate. */
  readonly credentials?: CredentialSource | undefined;
  /** Read again once a minute: projected tokens are renewed in place. */
  readonly tokenFile?: string | undefined;
  /** The name in the server's certificate, where it differs from the address. */
  readonly serverName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly userAgent?: string | undefined;
  readonly clock?: Clock | undefined;
}

/** How long a server may think before it answers; watches and streams answer at once. */
const headersTimeoutMs = 60_000;
const keepAliveTimeoutMs = 90_000;
const tokenFileMs = 60_000;
/** As client-go: a server that asks to come back later is asked so often. */
const retriesMax = 10;
const retryAfterMaxSeconds = 30;
/** Attempts to connect for a GET: 100, 200, 400 ms apart. */
const connectRetriesMax = 3;
/** How much longer than a watch's own timeout a silent connection counts as alive. */
const watchGraceMs = 30_000;

/** One API server over HTTPS (or plain HTTP), with connections kept alive. Connects at the first request. */
export function httpsTransport(options: HttpsTransportOptions): Transport {
  return new HttpsTransport(options);
}

class HttpsTransport implements Transport {
  readonly #options: HttpsTransportOptions;
  readonly #clock: Clock;
  readonly #basePath: string;
  readonly #origin: string;
  #agent: Promise<Agent> | undefined;
  /** The certificate that the agent's connections show. */
  #certificate: string | undefined;
  #token: { readonly text: string; readonly atMs: number } | undefined;

  constructor(options: HttpsTransportOptions) {
    const url = new URL(options.server);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#origin = url.origin;
    this.#basePath = url.pathname.replace(/\/$/, '');
  }

  async request<T>(request: ApiRequest): Promise<T> {
    const { statusCode, headers, body } = await this.#send(request, 'application/json', undefined);
    const text = await body.text();
    if (statusCode >= 300) throw statusErrorFromHttp(statusCode, text, headers['retry-after']);
    const isJson = String(headers['content-type'] ?? '').includes('json');
    return (isJson && text ? asTyped(parseJsonExactly(text)) : text) as T;
  }

  async *watch<T>(request: ApiRequest): AsyncGenerator<readonly WatchEvent<T>[]> {
    const timeoutSeconds = Number(request.query?.['timeoutSeconds'] ?? 0);
    const idleMs = timeoutSeconds ? timeoutSeconds * 1000 + watchGraceMs : 0;
    try {
      const { statusCode, headers, body } = await this.#send(request, 'application/json;stream=watch', idleMs);
      if (statusCode >= 300) throw statusErrorFromHttp(statusCode, await body.text(), headers['retry-after']);
      const lines = new JsonLines();
      for await (const chunk of body) {
        const events = lines.push(chunk as Uint8Array);
        if (events.length > 0) yield* checked<T>(events);
      }
      yield* checked<T>(lines.end());
    } catch (error) {
      if (!request.signal?.aborted) throw error;
    }
  }

  async stream(request: ApiRequest): Promise<StreamResponse> {
    const { statusCode, headers, body } = await this.#send(request, '*/*', 0);
    const flat = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
    return { status: statusCode, headers: Object.fromEntries(flat), body: body as AsyncIterable<Uint8Array> };
  }

  async close(): Promise<void> {
    const agent = await this.#agent;
    // Watches have no end of their own, so they are cut, not waited for.
    await agent?.destroy();
  }

  /** Tries again where that is safe; `idleMs`: how long the body may be silent, 0 for ever. */
  async #send(request: ApiRequest, accept: string, idleMs: number | undefined): Promise<Dispatcher.ResponseData> {
    for (let attempt = 0; ; attempt++) {
      try {
        const response = await this.#sendWithCredentials(request, accept, idleMs);
        const retryAfterSeconds = Number(response.headers['retry-after']);
        if (response.statusCode !== 429 || !retryAfterSeconds || attempt >= retriesMax) return response;
        await response.body.dump();
        await sleep(this.#clock, Math.min(retryAfterSeconds, retryAfterMaxSeconds) * 1000, request.signal);
      } catch (error) {
        if (request.signal?.aborted) throw error;
        if (request.method !== 'GET' || attempt >= connectRetriesMax || !isConnectionError(error)) {
          throw explained(error, request, this.#origin);
        }
        await sleep(this.#clock, 100 * 2 ** attempt, request.signal);
      }
    }
  }

  /** Credentials that the server no longer takes are fetched anew, once: what it refused it did not do. */
  async #sendWithCredentials(request: ApiRequest, accept: string, idleMs: number | undefined) {
    const { credentials } = this.#options;
    if (!credentials) return this.#sendOnce(request, accept, idleMs);
    const shown = await credentials.current();
    const response = await this.#sendOnce(request, accept, idleMs, shown);
    if (response.statusCode !== 401) return response;
    await response.body.dump();
    await credentials.refused(shown);
    return this.#sendOnce(request, accept, idleMs, await credentials.current());
  }

  async #sendOnce(request: ApiRequest, accept: string, idleMs: number | undefined, shown?: ShownCredentials) {
    if (this.#agent && shown && shown.certificate !== this.#certificate) {
      // What is under way on connections of the old certificate may end.
      void this.#agent.then((old) => old.close());
      this.#agent = undefined;
    }
    this.#certificate = shown?.certificate;
    this.#agent ??= createAgent({ ...this.#options, ...shown });
    const agent = await this.#agent;
    const authorization = shown?.token ? `Bearer ${shown.token}` : await this.#authorization();
    const hasBody = request.body !== undefined;
    return agent.request({
      origin: this.#origin,
      path: `${this.#basePath}${request.path}${queryOf(request.query)}`,
      method: request.method,
      headers: {
        accept: request.accept ?? accept,
        'user-agent': this.#options.userAgent ?? 'kubernode',
        ...(authorization && { authorization }),
        ...(hasBody && { 'content-type': request.contentType ?? 'application/json' }),
      },
      body: hasBody ? bodyOf(request.body) : null,
      ...(idleMs !== undefined && { bodyTimeout: idleMs }),
      ...(request.signal && { signal: request.signal }),
    });
  }

  async #authorization(): Promise<string | undefined> {
    const { token, tokenFile } = this.#options;
    if (!tokenFile) return token && `Bearer ${token}`;
    const now = this.#clock.now();
    if (!this.#token || now - this.#token.atMs >= tokenFileMs) {
      this.#token = { text: (await readFile(tokenFile, 'utf8')).trim(), atMs: now };
    }
    return `Bearer ${this.#token.text}`;
  }
}

/** undici takes 30 ms to load, so only who speaks HTTPS loads it. */
async function createAgent(options: HttpsTransportOptions): Promise<Agent> {
  const { Agent } = await import('undici');
  const { ca, certificate, key, serverName, insecureSkipTlsVerify } = options;
  const pem = (text: string | Uint8Array) => (typeof text === 'string' ? text : Buffer.from(text));
  return new Agent({
    keepAliveTimeout: keepAliveTimeoutMs,
    headersTimeout: headersTimeoutMs,
    // One connection a watch: HTTP/1.1 needs no flow control between them.
    allowH2: false,
    connect: {
      ...(ca && { ca: pem(ca) }),
      ...(certificate && { cert: pem(certificate) }),
      ...(key && { key: pem(key) }),
      ...(serverName && { servername: serverName }),
      ...(insecureSkipTlsVerify && { rejectUnauthorized: false }),
    },
  });
}

function* checked<T>(values: readonly unknown[]): Generator<readonly WatchEvent<T>[]> {
  const events = values as readonly { readonly type: string; readonly object: unknown }[];
  const failed = events.findIndex((event) => event.type === 'ERROR');
  const good = failed < 0 ? events : events.slice(0, failed);
  for (const event of good) asTyped(event.object);
  if (good.length > 0) yield good as readonly WatchEvent<T>[];
  if (failed >= 0) throw new StatusError(events[failed]!.object as Status);
}

function queryOf(query: ApiRequest['query']): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

const bodyOf = (body: unknown) => (body instanceof Uint8Array ? body : JSON.stringify(body));

const connectionErrors = new Set(['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET']);
const isConnectionError = (error: unknown) => connectionErrors.has((error as { code?: string }).code ?? '');

function explained(error: unknown, { method, path }: ApiRequest, origin: string): Error {
  const why = error instanceof Error ? error.message : String(error);
  const code = (error as { code?: string }).code;
  return Object.assign(new Error(`${method} ${origin}${path}: ${why}`, { cause: error }), code ? { code } : {});
}
