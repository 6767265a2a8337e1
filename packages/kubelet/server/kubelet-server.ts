import { createServer as createTlsServer } from 'node:https';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { User } from '@kubernode/api';
import type { Logger } from '@kubernode/machinery';
import type { KubeletAuthenticator } from './authentication.ts';
import { kubeletAttributes, type KubeletAuthorizer } from './authorization.ts';
import { route, routeUpgrade, type Answer, type ServerContext } from './routes.ts';
import { handOn } from './streaming.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Who does not end what is refused is cut after so long. */
const lingerMs = 10_000;

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** PEM. Clients with a certificate of `clientCa` are known by it. */
  readonly tls: { readonly certificate: string; readonly key: string; readonly clientCa: string };
}

export interface KubeletServerOptions {
  readonly listen: ListenOptions;
  readonly authenticate: KubeletAuthenticator;
  readonly authorize: KubeletAuthorizer;
  readonly context: ServerContext;
  readonly log: Logger;
}

/** The kubelet's HTTPS API. Nobody but `/healthz` is open to the unknown. */
export class KubeletServer {
  readonly #options: KubeletServerOptions;
  readonly #server: Server;
  readonly #upgraded = new Set<Duplex>();

  constructor(options: KubeletServerOptions) {
    this.#options = options;
    const { certificate, key, clientCa } = options.listen.tls;
    const tls = { cert: certificate, key, ca: clientCa, requestCert: true, rejectUnauthorized: false };
    this.#server = createTlsServer(tls, (request, response) => void this.#handle(request, response));
    this.#server.on('upgrade', (request, socket: Duplex, head: Buffer) => void this.#upgrade(request, socket, head));
    // Logs that are followed and streams may be silent for hours.
    this.#server.requestTimeout = 0;
  }

  /** The port it listens on. */
  async start(): Promise<number> {
    const { host, port } = this.#options.listen;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') return reject(error);
        const message = `kubelet: port ${port} is in use: stop what listens there, or choose another port`;
        reject(new Error(message, { cause: error }));
      });
      this.#server.listen({ host, port }, resolve);
    });
    // No connection can be taken (no file descriptor is left, say): the next one may.
    this.#server.on('error', (error) => this.#options.log.warn('kubelet API', { error: error.message }));
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#upgraded) socket.destroy();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  /** Who asks, or the refusal. */
  async #admit(request: IncomingMessage, url: URL): Promise<Answer | undefined> {
    const { authenticate, authorize, context } = this.#options;
    if (url.pathname === '/healthz') return undefined;
    const user = await authenticate(request);
    if (user === undefined || user === 'anonymous') return { status: 401, text: 'Unauthorized' };
    const attributes = kubeletAttributes(request.method ?? 'GET', url.pathname, context.nodeName);
    if (await authorize(user, attributes)) return undefined;
    return { status: 403, text: forbidden(user, attributes) };
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = requestUrl(request);
    if (!url) return void response.writeHead(400).end('Bad Request');
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    let answer: Answer;
    try {
      answer = (await this.#admit(request, url)) ?? (await route(this.#options.context, request, url, gone.signal));
    } catch (error) {
      answer = { status: 500, text: error instanceof Error ? error.message : String(error) };
    }
    try {
      await send(response, answer);
    } catch (error) {
      this.#options.log.debug('answer broken off', { path: url.pathname, error: String(error) });
      response.destroy();
    }
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#upgraded.add(socket);
    socket.on('close', () => this.#upgraded.delete(socket));
    socket.on('error', () => socket.destroy());
    const url = requestUrl(request);
    if (!url) return refuse(socket, { status: 400, text: 'Bad Request' });
    try {
      const target = (await this.#admit(request, url)) ?? (await routeUpgrade(this.#options.context, url));
      const refusal = typeof target === 'string' ? await handOn(request, socket, head, target) : target;
      if (refusal) refuse(socket, refusal);
    } catch (error) {
      refuse(socket, { status: 500, text: error instanceof Error ? error.message : String(error) });
    }
  }
}

/** Undefined for what is no URL, such as `//`. */
function requestUrl({ url }: IncomingMessage): URL | undefined {
  return URL.parse(url ?? '/', 'https://kubelet') ?? undefined;
}

function forbidden(user: User, { verb, subresources }: ReturnType<typeof kubeletAttributes>): string {
  return `Forbidden (user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}])`;
}

async function send(response: ServerResponse, answer: Answer): Promise<void> {
  const type = answer.json === undefined ? 'text/plain; charset=utf-8' : 'application/json';
  response.writeHead(answer.status, { 'content-type': answer.contentType ?? type });
  if (answer.stream) {
    response.flushHeaders();
    for await (const chunk of answer.stream) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await drained(response);
    }
    response.end();
    return;
  }
  response.end(answer.json === undefined ? (answer.text ?? '') : JSON.stringify(answer.json));
}

/** Until there is room again, or nobody reads any more. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/** On a connection that HTTP has let go of; it is closed, for good after a while where its client does not. */
function refuse(socket: Duplex, { status, text = '' }: Answer): void {
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: text/plain; charset=utf-8\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  // What is still sent is read to its end: unread, it would take the answer with it.
  socket.resume();
}
