import { createServer, type Server as HttpServer } from 'node:http';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { StatusError } from '@kubernode/api';
import { uid } from '@kubernode/machinery';
import type { ServerContext } from '../context.ts';
import { handle } from '../lifecycle.ts';
import type { ListenOptions } from '../options.ts';
import type { Credentials } from '../seams.ts';
import { fromHttp } from './request.ts';
import { writeResponse, type Incoming, type Outgoing } from './response.ts';
import { writeRaw } from './upgrade.ts';

/** Requests that are under way may end this long after `close`, then they are cut. */
const closeGraceMs = 2_000;

export interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves HTTP/2 and HTTP/1.1 over TLS (or plain HTTP/1.1 without). Throws what listening fails with (EADDRINUSE). */
export async function serve(server: ServerContext, options: ListenOptions): Promise<Listener> {
  const web = createWebServer(options);
  const connections = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  web.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  web.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => session.destroy());
  });
  web.on('request', (incoming: Incoming, outgoing: Outgoing) => {
    void answer(server, incoming, outgoing);
  });
  web.on('upgrade', (incoming: Incoming, socket: Duplex, head: Buffer) => {
    void answerUpgrade(server, incoming, socket, head);
  });
  web.on('clientError', refuseMalformed);
  web.on('tlsClientError', () => {});
  await listening(web, options);
  // A connection that cannot be accepted (too many open files) is one connection's trouble, not the server's end.
  web.on('error', (error: Error) => server.log.warn('a connection could not be accepted', { error: String(error) }));
  const { port } = web.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `${options.tls ? 'https' : 'http'}://${host}:${port}`,
    close: () => close(web, connections, sessions, server),
  };
}

/** What is no HTTP, or a method that HTTP does not know, is answered once, and the connection is closed. */
function refuseMalformed(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const isMethod = error.code === 'HPE_INVALID_METHOD';
  const { status } = isMethod
    ? StatusError.of('MethodNotAllowed', 'the server does not allow this method on the requested resource', {})
    : StatusError.badRequest('the request is not valid HTTP');
  const body = `${JSON.stringify(status)}\n`;
  socket.end(
    `HTTP/1.1 ${isMethod ? '405 Method Not Allowed' : '400 Bad Request'}\r\ncontent-type: application/json\r\n` +
      `cache-control: no-cache, private\r\naudit-id: ${uid()}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}

function createWebServer({ tls }: ListenOptions): HttpServer | Http2SecureServer {
  if (!tls) return createServer({ keepAliveTimeout: 90_000, requestTimeout: 0 });
  return createSecureServer({
    allowHTTP1: true,
    cert: tls.certificate,
    key: tls.key,
    ...(tls.clientCa ? { ca: tls.clientCa } : {}),
    requestCert: true,
    rejectUnauthorized: false,
    settings: { maxConcurrentStreams: 250 },
    keepAliveTimeout: 90_000,
    requestTimeout: 0,
  } as Parameters<typeof createSecureServer>[0]);
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

async function answer(server: ServerContext, incoming: Incoming, outgoing: Outgoing): Promise<void> {
  const gone = new AbortController();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  outgoing.on('error', () => gone.abort());
  try {
    const request = fromHttp(incoming, certificateOf(socketOf(incoming)), gone.signal);
    const response = await handle(request, server);
    await writeResponse(response, request, outgoing, server, commonHeaders(incoming, server));
  } catch (error) {
    server.log.error('a request could not be answered', { url: incoming.url, stack: String((error as Error).stack) });
    outgoing.destroy();
  }
}

/** Connections that a connector takes over (exec, port-forward); what is refused is answered as HTTP. */
async function answerUpgrade(server: ServerContext, incoming: Incoming, socket: Duplex, head: Buffer): Promise<void> {
  const gone = new AbortController();
  socket.on('close', () => gone.abort());
  socket.on('error', () => gone.abort());
  try {
    const request = fromHttp(incoming, certificateOf(socketOf(incoming)), gone.signal, { socket, head });
    const response = await handle(request, server);
    if (response.content.type !== 'upgraded')
      await writeRaw(response, request, socket, server, commonHeaders(incoming, server));
  } catch (error) {
    server.log.error('an upgrade could not be answered', { url: incoming.url, error: String(error) });
    socket.destroy();
  }
}

function commonHeaders(incoming: Incoming, server: ServerContext): Record<string, string | readonly string[]> {
  const auditId = incoming.headers['audit-id'];
  return {
    'audit-id': typeof auditId === 'string' && auditId ? auditId : server.newUid(),
    'cache-control': 'no-cache, private',
  };
}

const certificates = new WeakMap<object, Pick<Credentials, 'clientCertificate' | 'clientCertificateInvalid'>>();
const noCertificate = {};

function socketOf(incoming: Incoming): object | undefined {
  const session = 'stream' in incoming ? incoming.stream?.session : undefined;
  return session?.socket ? (session as { socket: object }) && session : incoming.socket;
}

/** The client's certificate; one Buffer for all requests of a connection. */
function certificateOf(
  connection: object | undefined,
): Pick<Credentials, 'clientCertificate' | 'clientCertificateInvalid'> {
  if (!connection) return noCertificate;
  const known = certificates.get(connection);
  if (known) return known;
  const socket = connection instanceof TLSSocket ? connection : (connection as { socket?: unknown }).socket;
  const found = readCertificate(socket as TLSSocket | undefined);
  certificates.set(connection, found);
  return found;
}

function readCertificate(
  socket: TLSSocket | undefined,
): Pick<Credentials, 'clientCertificate' | 'clientCertificateInvalid'> {
  if (!socket || typeof socket.getPeerX509Certificate !== 'function') return noCertificate;
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return noCertificate;
  return socket.authorized ? { clientCertificate: certificate.raw } : { clientCertificateInvalid: true };
}

async function close(
  web: HttpServer | Http2SecureServer,
  connections: Set<Socket>,
  sessions: Set<ServerHttp2Session>,
  server: ServerContext,
): Promise<void> {
  const closed = new Promise<void>((resolve) => web.close(() => resolve()));
  for (const session of sessions) session.close();
  if ('closeIdleConnections' in web) web.closeIdleConnections();
  const cancel = server.clock.after(closeGraceMs, () => {
    for (const socket of connections) socket.destroy();
  });
  await closed;
  cancel();
}
