/**
 * One connection of HTTP/2 over TLS for many long answers, that costs its own side little: each stream's bytes are handed
 * on where they were decrypted.
 */
import type { TLSSocket } from 'node:tls';
import { connectTo } from './connection.ts';
import { frame, headerBlock, request, setting, type as frameTypes, uint32 } from '../../test/robust/frames.ts';
import { FrameReader, type FrameHead } from './http2-frames.ts';
import type { Target } from './server.ts';

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** The highest there is, so that no window has to be moved: no benchmark reads 2 GB on a connection. */
const windowBytes = 2 ** 31 - 1;
const firstWindowBytes = 2 ** 16 - 1;
const initialWindowSize = 4;
/** The code 200 in the static table (RFC 7541, appendix A). */
const status200 = 0x88;
const ackFlag = 1;

interface Stream {
  readonly read: (piece: Buffer) => void;
  readonly opened: () => void;
  readonly failed: (error: Error) => void;
}

export class Http2Connection {
  readonly #socket: TLSSocket;
  /** What is the same in every request. Names that begin with a colon come first. */
  readonly #fields: Readonly<Record<string, string>>;
  readonly #streams = new Map<number, Stream>();

  constructor({ url, token }: Target) {
    const authorization = token ? { authorization: `Bearer ${token}` } : undefined;
    this.#fields = { ':scheme': 'https', ':authority': new URL(url).host, ...authorization };
    const reader = new FrameReader({
      data: (stream, piece) => this.#streams.get(stream)?.read(piece),
      control: (head, payload) => this.#control(head, payload),
    });
    this.#socket = connectTo(url, (received, end) => reader.read(received, end), ['h2']);
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')));
    this.#socket.write(
      Buffer.concat([
        preface,
        frame(frameTypes.settings, 0, 0, setting(initialWindowSize, windowBytes)),
        frame(frameTypes.window, 0, 0, uint32(windowBytes - firstWindowBytes)),
      ]),
    );
  }

  /** Resolves when it is answered 200; `read` gets what comes, in memory that is written again. */
  get(target: string, read: (piece: Buffer) => void): Promise<void> {
    const stream = 2 * this.#streams.size + 1;
    return new Promise((opened, failed) => {
      this.#streams.set(stream, { read, opened, failed });
      this.#socket.write(request(stream, headerBlock({ ':method': 'GET', ':path': target, ...this.#fields })));
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #control({ type, flags, stream }: FrameHead, payload: Buffer): void {
    const isAck = (flags & ackFlag) !== 0;
    if (type === frameTypes.settings && !isAck) {
      this.#socket.write(frame(type, ackFlag, 0));
    } else if (type === frameTypes.ping && !isAck) {
      this.#socket.write(frame(type, ackFlag, 0, payload));
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
