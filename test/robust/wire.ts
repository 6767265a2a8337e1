/** Connections whose bytes are ours: what no well-behaved client sends. */
import { once } from 'node:events';
import { connect as tcpConnect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { connect as tlsConnect } from 'node:tls';

/** More is read, but not kept. */
const receivedBytesMax = 1 << 20;

/** A connection that keeps what it was told, and knows when it was closed. */
export class Wire {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  received = Buffer.alloc(0);
  isClosed = false;
  readonly #connection: Socket;
  #woken: (() => void)[] = [];

  /** Who does not `read` leaves what comes where it is; `connection` is what TLS runs over. */
  constructor(socket: Socket, { reads = true, connection = socket } = {}) {
    this.socket = socket;
    this.#connection = connection;
    socket.on('error', () => {});
    this.closed = new Promise((resolve) =>
      socket.on('close', () => {
        this.isClosed = true;
        resolve();
        this.#wake();
      }),
    );
    if (reads)
      socket.on('data', (chunk: Buffer) => {
        if (this.received.length < receivedBytesMax) this.received = Buffer.concat([this.received, chunk]);
        this.#wake();
      });
  }

  get text(): string {
    return this.received.toString('latin1');
  }

  write(bytes: string | Uint8Array): boolean {
    return this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Resolves when it is on its way, or the connection is closed. */
  async send(bytes: Uint8Array): Promise<void> {
    if (this.write(bytes) || this.isClosed) return setImmediate();
    await Promise.race([once(this.socket, 'drain').catch(() => {}), this.closed]);
  }

  /** Resolves when `matches` says so, or the connection is closed. */
  async until(matches: (wire: Wire) => boolean): Promise<void> {
    while (!matches(this) && !this.isClosed) await new Promise<void>((resolve) => this.#woken.push(resolve));
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Ends with RST, not FIN. */
  reset(): void {
    this.#connection.resetAndDestroy();
  }

  #wake(): void {
    for (const woken of this.#woken.splice(0)) woken();
  }
}

export async function tcp(port: number): Promise<Wire> {
  const socket = tcpConnect(port, '127.0.0.1');
  const wire = new Wire(socket);
  await once(socket, 'connect');
  return wire;
}

export async function tls(port: number, alpn = 'http/1.1', reads = true): Promise<Wire> {
  const connection = tcpConnect(port, '127.0.0.1');
  const socket = tlsConnect({ socket: connection, ALPNProtocols: [alpn], rejectUnauthorized: false });
  const wire = new Wire(socket, { reads, connection });
  await once(socket, 'secureConnect');
  return wire;
}
