import type { IncomingMessage, Server as HttpServer, ServerResponse as HttpResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { textOf } from '../component-config/live-text.ts';
import type { ServerContext } from '../context.ts';
import { handle } from '../lifecycle.ts';
import type { ListenOptions } from '../options.ts';
import type { RequestLimits } from '../request-limits.ts';
import { shuttingDown } from '../shutdown.ts';
import { TurnEnd } from '../turn-end.ts';
import { Connections, keepAliveProbeMs } from './connections.ts';
import { answerFault, faultOf } from './faults.ts';
import { Http2Response } from './http2-response.ts';
import { refuseMalformed, type ParseFailure } from './malformed.ts';
import type { ServerResponse } from '../request.ts';
import { commonHeaders, Exchange } from './exchange.ts';
import { Lanes } from './lane.ts';
import { noteAnswer, turnOf } from './pipeline.ts';
import { fromHttp, type ClientCertificate } from './request.ts';
import { writeResponse, type Incoming, type Outgoing } from './response.ts';
import { answerUpgrade } from './upgrade.ts';

const { createServer, setMaxIdleHTTPParsers } = process.getBuiltinModule('node:http');

/** Requests that are under way may end this long after `close`, then they are cut. */
const closeGraceMs = 2_000;
/** Go's own limit; selectors in queries may be long. */
const headerBytesMax = 1024 * 1024;
/** Of a request. Node's own limit is 128 on HTTP/2; of a user who is impersonated, each group is one. */
const headersMax = 2_000;
/** How often Node looks for connections that are too slow. */
const connectionsCheckMs = 5_000;
/** Of one connection on HTTP/2, in megabytes: what its readers have not taken yet. Beyond it, new requests are refused. */
const sessionMegabytesMax = 64;
/** Requests, of all connections: the disk and the clients work on these while the next are begun. */
const begunTogetherMax = 32;
/** Node keeps parsers of connections that ended, of 10 KB each; it would keep 1,000. */
const idleParsersMax = 64;
setMaxIdleHTTPParsers(idleParsersMax);

export interface Listener {
  readonly url: string;
  /** No new connections; those that are there end with their last request. */
  stopAccepting(): void;
  /** Requests that are under way may end, for a moment. */
  close(): Promise<void>;
}

/** Serves HTTP/2 and HTTP/1.1 over TLS (or plain HTTP/1.1 without). Throws what listening fails with (EADDRINUSE). */
export async function serve(server: ServerContext, options: ListenOptions): Promise<Listener> {
  const web = createWebServer(options, server.limits);
  const connections = new Connections();
  connections.follow(web, server);
  const turnEnd = new TurnEnd(begunTogetherMax);
  const lanes = new Lanes(server, turnEnd);
  if (options.tls) followLanes(web as Http2SecureServer, lanes);
  web.on('request', (incoming: Incoming, outgoing: Outgoing) => {
    if (isHttp1(incoming)) {
      noteAnswer(incoming, outgoing as HttpResponse);
      connections.answering(outgoing as HttpResponse);
      lanes.of(incoming.socket)?.follow(outgoing as HttpResponse);
    }
    void answer(server, turnEnd, incoming, outgoing);
  });
  const answerLetGo = (incoming: Incoming, socket: Duplex, head: Buffer) => {
    void answerUpgrade(server, { incoming, socket, head, certificate: () => certificateOf(socketOf(incoming)) });
  };
  web.on('upgrade', answerLetGo);
  web.on('connect', (incoming: Incoming, answered: Duplex | Outgoing, head: Buffer) => {
    if (isHttp1(incoming)) answerLetGo(incoming, answered as Duplex, head);
    else void answer(server, turnEnd, incoming, answered as Outgoing);
  });
  web.on('clientError', (error: ParseFailure, socket: Socket) => {
    void refuseMalformed(server, error, socket, (request) => answerLetGo(request, socket, Buffer.alloc(0)));
  });
  web.on('tlsClientError', (_error: Error, socket: Duplex) => {
    server.metrics.tlsErrors.of().add();
    socket.destroy();
  });
  await listening(web, options);
  connections.complain(web, server);
  if (options.tls) followTls(web as Http2SecureServer, options.tls, server);
  const { port } = web.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  let closed: Promise<void> | undefined;
  const stopAccepting = () => {
    lanes.hold();
    closed ??= new Promise<void>((resolve) => web.close(() => resolve()));
    connections.end();
    if ('closeIdleConnections' in web) web.closeIdleConnections();
  };
  return {
    stopAccepting,
    url: `${options.tls ? 'https' : 'http'}://${host}:${port}`,
    close() {
      stopAccepting();
      return cutLate(closed!, connections, server);
    },
  };
}

function createWebServer({ tls }: ListenOptions, limits: RequestLimits): HttpServer | Http2SecureServer {
  const { headTimeoutMs, idleTimeoutMs, streamsPerConnectionMax } = limits;
  const common = {
    keepAlive: true,
    keepAliveInitialDelay: keepAliveProbeMs,
    keepAliveTimeout: idleTimeoutMs,
    headersTimeout: headTimeoutMs,
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(connectionsCheckMs, headTimeoutMs),
    maxHeaderSize: headerBytesMax,
    // It is looked for with what else may be wrong with a head.
    requireHostHeader: false,
  };
  if (!tls) return Object.assign(createServer(common), { maxHeadersCount: headersMax });
  const web = createSecureServer({
    allowHTTP1: true,
    ...secureContextOf(tls),
    // Without an authority of ours, Node would trust those of the whole web.
    requestCert: tls.clientCa !== undefined,
    rejectUnauthorized: false,
    settings: { maxConcurrentStreams: streamsPerConnectionMax, maxHeaderListSize: headerBytesMax },
    maxSessionMemory: sessionMegabytesMax,
    maxHeaderListPairs: headersMax,
    Http2ServerResponse: Http2Response,
    handshakeTimeout: headTimeoutMs,
    ...common,
  } as Parameters<typeof createSecureServer>[0]);
  // Of the options, HTTP/1.1 beside HTTP/2 does not read these.
  return Object.assign(web, { headersTimeout: headTimeoutMs, maxHeadersCount: headersMax });
}

function followLanes(web: Http2SecureServer, lanes: Lanes): void {
  web.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol !== 'h2') lanes.open(socket, certificateOf(socket));
  });
  // Node asks: it knows of no request that was made in a lane.
  web.on('timeout', (socket: TLSSocket) => {
    if (!lanes.of(socket)?.isBusy) socket.destroy();
  });
}

type Tls = NonNullable<ListenOptions['tls']>;

const secureContextOf = ({ certificate, key, clientCa }: Tls) => ({
  cert: textOf(certificate),
  key: textOf(key),
  ...(clientCa ? { ca: textOf(clientCa) } : {}),
});

/** New connections are served with what the files say now; a certificate waits for its key. */
function followTls(web: Http2SecureServer, tls: Tls, { clock, log, stopping: signal }: ServerContext): void {
  const renew = () => {
    try {
      web.setSecureContext(secureContextOf(tls));
      log.info('serving certificates and authorities of clients were read again');
    } catch (error) {
      log.warn('changed certificates cannot be used yet, the old ones stay', { error: String(error) });
    }
  };
  for (const text of [tls.certificate, tls.key, tls.clientCa]) {
    if (text === undefined || typeof text === 'string') continue;
    text.onChange(renew);
    text.follow({ clock, log, signal });
  }
}

function listening(web: HttpServer | Http2SecureServer, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    web.once('error', reject);
    web.listen(port, host, () => {
      web.off('error', reject);
      resolve();
    });
  });
}

/**
 * Requests that come in one turn of the event loop are all read before the first is begun: a processor keeps the code of one
 * stage at hand, not that of all. Under load this saves a fifth to a third of its time. Not so on HTTP/1.1 outside of the lanes:
 * Node would end the connections of clients that end their half with their requests.
 */
async function answer(server: ServerContext, turnEnd: TurnEnd, incoming: Incoming, outgoing: Outgoing): Promise<void> {
  const exchange = new Exchange(server, incoming, outgoing);
  let onSent: ServerResponse['onSent'];
  if (isHttp1(incoming) && !outgoing.socket && !(await turnOf(incoming, outgoing as HttpResponse))) return;
  const fault = isHttp1(incoming) ? faultOf(incoming) : undefined;
  if (fault) {
    answerFault(fault, incoming as IncomingMessage, outgoing as HttpResponse);
    return exchange.end(undefined);
  }
  const { goawayChance } = server.limits;
  // Now and then clients are asked to connect anew, so that they find their way to other servers.
  if (goawayChance > 0 && !isHttp1(incoming) && server.random() < goawayChance) exchange.beLast();
  try {
    const request = fromHttp(incoming, certificateOf(socketOf(incoming)), exchange.signal, undefined, exchange);
    if (!isHttp1(incoming)) await turnEnd.over();
    const isRefused = server.shutdown.refuses(request);
    if (isRefused) exchange.beLast();
    const response = isRefused ? shuttingDown : await handle(request, server);
    ({ onSent } = response);
    if (response.code === 401) exchange.distrust();
    exchange.follow(response);
    try {
      if (!outgoing.headersSent) {
        await writeResponse(response, request, outgoing, server, commonHeaders(incoming, server));
      }
    } finally {
      response.onEnd?.();
    }
  } catch (error) {
    server.log.error('a request could not be answered', { url: incoming.url, stack: String((error as Error).stack) });
    outgoing.destroy();
  }
  exchange.end(onSent);
}

const isHttp1 = (incoming: Incoming): incoming is IncomingMessage => incoming.httpVersionMajor === 1;

const certificates = new WeakMap<object, ClientCertificate>();
const noCertificate = {};
/** No chain of certificates is longer than this. */
const intermediatesMax = 16;

function socketOf(incoming: Incoming): object | undefined {
  const session = 'stream' in incoming ? incoming.stream?.session : undefined;
  return session?.socket ? (session as { socket: object }) && session : incoming.socket;
}

/** The client's certificate; one Buffer for all requests of a connection. */
function certificateOf(connection: object | undefined): ClientCertificate {
  if (!connection) return noCertificate;
  const known = certificates.get(connection);
  if (known) return known;
  const socket = connection instanceof TLSSocket ? connection : (connection as { socket?: unknown }).socket;
  const found = readCertificate(socket as TLSSocket | undefined);
  certificates.set(connection, found);
  return found;
}

function readCertificate(socket: TLSSocket | undefined): ClientCertificate {
  if (!socket || typeof socket.getPeerX509Certificate !== 'function') return noCertificate;
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return noCertificate;
  if (!socket.authorized) return { clientCertificateInvalid: true };
  const clientIntermediates: Uint8Array[] = [];
  for (let issuer = certificate.issuerCertificate; issuer; issuer = issuer.issuerCertificate) {
    if (clientIntermediates.push(issuer.raw) >= intermediatesMax) break;
  }
  return { clientCertificate: certificate.raw, clientIntermediates };
}

async function cutLate(closed: Promise<void>, connections: Connections, server: ServerContext): Promise<void> {
  const cancel = server.clock.after(closeGraceMs, () => connections.destroy());
  await closed;
  cancel();
}
