import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock, Logger } from '@kubernode/machinery';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { type RemoteClient, serveCommand, type StreamRequest } from './requests.ts';
import { SpdyCommand, spdyCommandProtocols } from './spdy-command.ts';
import { SpdyConnection } from './spdy-connection.ts';
import { portForwardProtocol, SpdyPortForward } from './spdy-port-forward.ts';
import { Tokens } from './tokens.ts';
import { commandProtocols, websocketClient } from './websocket-command.ts';
import { websocketPortForward } from './websocket-port-forward.ts';

const { createServer } = process.getBuiltinModule('node:http');

const tunnelProtocol = `SPDY/3.1+${portForwardProtocol}`;
const portForwardProtocols = [tunnelProtocol, 'v4.channel.k8s.io'];

/**
 * Serves exec, attach and port-forward at one-time URLs (CRI's streaming), over WebSocket (v5 and v4.channel.k8s.io, SPDY
 * tunnelled for port-forward) and SPDY/3.1.
 */
export class StreamServer {
  readonly #server: Server;
  readonly #tokens: Tokens<StreamRequest>;
  readonly #websockets: WebSocketServer;
  readonly #log: Logger;
  readonly #open = new Set<Duplex>();

  private constructor(options: { readonly clock: Clock; readonly log: Logger }) {
    this.#log = options.log;
    this.#tokens = new Tokens(options.clock);
    const chosen = new WeakMap<IncomingMessage, string>();
    this.#websockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
    this.#websockets.on('headers', (headers, request) => {
      headers.push(`Sec-WebSocket-Protocol: ${chosen.get(request)}`);
    });
    this.#server = createServer((_, response) => {
      response.writeHead(400, { 'content-type': 'text/plain' }).end('Upgrade request required\n');
    });
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head, chosen));
  }

  static async start(options: {
    readonly host: string;
    readonly clock: Clock;
    readonly log: Logger;
  }): Promise<StreamServer> {
    const server = new StreamServer(options);
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen(0, options.host, resolve);
    });
    // No connection can be taken (no file descriptor is left, say): the next one may.
    server.#server.on('error', (error) => server.#warn(error));
    return server;
  }

  /** The URL where the request is served, once, to whom visits it within a minute. */
  urlFor(request: StreamRequest): string {
    const { address, port, family } = this.#server.address() as AddressInfo;
    const host = family === 'IPv6' ? `[${address}]` : address;
    return `http://${host}:${port}/${request.kind}/${this.#tokens.add(request)}`;
  }

  async close(): Promise<void> {
    this.#tokens.clear();
    for (const socket of this.#open) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, chosen: WeakMap<IncomingMessage, string>): void {
    this.#open.add(socket);
    socket.on('close', () => this.#open.delete(socket));
    socket.on('error', () => socket.destroy());
    const url = URL.parse(request.url ?? '/', 'http://localhost');
    if (!url) return refuse(socket, '400 Bad Request', 'not a URL');
    const [kind, token = ''] = url.pathname.split('/').slice(1);
    const stream = this.#tokens.take(token);
    if (!stream || stream.kind !== kind) return refuse(socket, '404 Not Found', 'no such stream');
    const upgrade = request.headers.upgrade?.toLowerCase();
    if (upgrade === 'websocket') {
      const known = stream.kind === 'portforward' ? portForwardProtocols : commandProtocols;
      const offered = listOf(request.headers['sec-websocket-protocol']);
      const protocol = known.find((name) => offered.includes(name));
      if (!protocol) return refuse(socket, '400 Bad Request', `no subprotocol of ${known.join(', ')} is offered`);
      chosen.set(request, protocol);
      // Kubernetes' name of the tunnel has a slash, which ws refuses to read.
      delete request.headers['sec-websocket-protocol'];
      this.#websockets.handleUpgrade(request, socket, head, (websocket) => {
        this.#serveWebsocket(websocket, stream, protocol, url);
      });
    } else if (upgrade === 'spdy/3.1') this.#upgradeSpdy(request, socket as Socket, head, stream);
    else refuse(socket, '400 Bad Request', `unable to upgrade: "${upgrade}" is neither websocket nor SPDY/3.1`);
  }

  #serveWebsocket(websocket: WebSocket, stream: StreamRequest, protocol: string, url: URL): void {
    // A broken frame: ws closes the connection by itself.
    websocket.on('error', () => {});
    if (stream.kind !== 'portforward') return this.#serve(stream, websocketClient(websocket, stream));
    if (protocol === tunnelProtocol) return tunnel(websocket, new SpdyPortForward(stream));
    const asked = url.searchParams
      .getAll('port')
      .flatMap((text) => text.split(','))
      .map(Number);
    const ports = stream.ports.length > 0 ? stream.ports : asked;
    websocketPortForward(websocket, stream, ports).catch((error: Error) => this.#warn(error));
  }

  #upgradeSpdy(request: IncomingMessage, socket: Socket, head: Buffer, stream: StreamRequest): void {
    const known = stream.kind === 'portforward' ? [portForwardProtocol] : spdyCommandProtocols;
    const offered = listOf(request.headers['x-stream-protocol-version']);
    const protocol = known.find((name) => offered.includes(name));
    if (!protocol) {
      const lines = known.map((name) => `X-Accepted-Stream-Protocol-Versions: ${name}\r\n`).join('');
      return refuse(socket, '403 Forbidden', `unable to upgrade: no protocol of ${known.join(', ')} is offered`, lines);
    }
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n' +
        `X-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
    );
    socket.setNoDelay(true);
    const transport = {
      send: (bytes: Buffer, done: (error?: Error | null) => void) => void socket.write(bytes, done),
      pause: () => void socket.pause(),
      resume: () => void socket.resume(),
      close: () => void socket.end(() => socket.destroy()),
    };
    const gone = new AbortController();
    const connection: SpdyConnection = new SpdyConnection(transport, (opened) => streams.add(opened));
    const streams =
      stream.kind === 'portforward'
        ? new SpdyPortForward(stream)
        : new SpdyCommand({
            request: stream,
            gone,
            onReady: (client) => this.#serve(stream, client),
            close: () => connection.close(),
          });
    socket.on('close', () => {
      gone.abort();
      connection.close();
    });
    if (head.length > 0) connection.receive(head);
    socket.on('data', (chunk: Buffer | string) => connection.receive(Buffer.from(chunk)));
  }

  #serve(request: Exclude<StreamRequest, { kind: 'portforward' }>, client: RemoteClient): void {
    serveCommand(request, client).catch((error: Error) => this.#warn(error));
  }

  #warn(error: Error): void {
    this.#log.warn('serve a stream failed', { error: error.message });
  }
}

/** SPDY's bytes in WebSocket's binary messages (KEP-4006). */
function tunnel(websocket: WebSocket, streams: SpdyPortForward): void {
  const transport = {
    send: (bytes: Buffer, done: (error?: Error | null) => void) => websocket.send(bytes, done),
    pause: () => websocket.pause(),
    resume: () => websocket.resume(),
    close: () => websocket.close(1000),
  };
  const connection = new SpdyConnection(transport, (stream) => streams.add(stream));
  websocket.on('message', (raw: RawData) => connection.receive(raw as Buffer));
  websocket.on('close', () => connection.close());
  websocket.on('error', () => connection.close());
}

function refuse(socket: Duplex, status: string, message: string, headers = ''): void {
  const body = `${message}\n`;
  const fixed = `Content-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n`;
  socket.end(`HTTP/1.1 ${status}\r\n${fixed}${headers}\r\n${body}`);
}

function listOf(header: string | string[] | undefined): string[] {
  return [header ?? []].flat().flatMap((text) => text.split(',').map((part) => part.trim()));
}
