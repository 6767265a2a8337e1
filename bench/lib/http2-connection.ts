/**
 * One connection of HTTP/2 over TLS for many long answers, that costs its own side little: each stream's bytes are handed
 * on where they were decrypted.
 */
import type { TLSSocket } from 'node:tls';
import { connectTo } from './connection.ts';
import { frame, frameFlags, FrameReader, frameTypes, header, type FrameHead } from './http2-frames.ts';
import type { Target } from './server.ts';

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** The highest there is, so that no window has to be moved: no benchmark reads 2 GB on a connection. */
const windowBytes = 2 ** 31 - 1;
const firstWindowBytes = 2 ** 16 - 1;
const initialWindowSize = 4;
/** Of the static table (RFC 7541, appendix A): what is the same in every request, a request's own, and the code 200. */
const [methodGet, schemeHttps, authority, path, authorization, status200] = [0x82, 0x87, 1, 4, 23, 0x88];

interface Stream {
  readonly read: (piece: Buffer) => void;
  readonly opened: () => void;
  readonly failed: (error: Error) => void;
}

export class Http2Connection {
  readonly #socket: TLSSocket;
  /** What is the same in every request, around its path: names that begin with a colon come first. */
  readonly #before: Buffer;
  readonly #after: Buffer;
  readonly #streams = new Map<number, Stream>();

  constructor({ url, token }: Target) {
    this.#before = Buffer.concat([Buffer.from([methodGet, schemeHttps]), header(authority, new URL(url).host)]);
    this.#after = token ? header(authorization, `Bearer ${token}`) : Buffer.alloc(0);
    const reader = new FrameReader({
      data: (stream, piece) => this.#streams.get(stream)?.read(piece),
      control: (head, payload) => this.#control(head, payload),
    });
    this.#socket = connectTo(url, (received, end) => reader.read(received, end), ['h2']);
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')));
    const setting = Buffer.alloc(6);
    setting.writeUInt16BE(initialWindowSize, 0);
    setting.writeUInt32BE(windowBytes, 2);
    const more = Buffer.alloc(4);
    more.writeUInt32BE(windowBytes - firstWindowBytes);
    this.#socket.write(
      Buffer.concat([
        preface,
        frame({ type: frameTypes.settings }, setting),
        frame({ type: frameTypes.windowUpdate }, more),
      ]),
    );
  }

  /** Resolves when it is answered 200; `read` gets what comes, in memory that is written again. */
  get(target: string, read: (piece: Buffer) => void): Promise<void> {
    const stream = 2 * this.#streams.size + 1;
    return new Promise((opened, failed) => {
      this.#streams.set(stream, { read, opened, failed });
      const flags = frameFlags.endStream | frameFlags.endHeaders;
      const head = { type: frameTypes.headers, flags, stream };
      this.#socket.write(frame(head, Buffer.concat([this.#before, header(path, target), this.#after])));
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #control({ type, flags, stream }: Required<FrameHead>, payload: Buffer): void {
    const isAck = (flags & frameFlags.ack) !== 0;
    if (type === frameTypes.settings && !isAck) {
      this.#socket.write(frame({ type, flags: frameFlags.ack }, Buffer.alloc(0)));
    } else if (type === frameTypes.ping && !isAck) {
      this.#socket.write(frame({ type, flags: frameFlags.ack }, payload));
    } else if (type === frameTypes.headers && payload[0] === status200) {
      this.#streams.get(stream)?.opened();
    } else if (type === frameTypes.headers || type === frameTypes.reset) {
      this.#streams.get(stream)?.failed(new Error('a stream was refused or ended, expected an answer of 200'));
    }
  }

  #fail(error: Error): void {
    for (const { failed } of this.#streams.values()) failed(error);
  }
}
