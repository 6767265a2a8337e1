import { Duplex } from 'node:stream';
import { encodeFrame, type SpdyFrame, SpdyFrameReader } from './spdy-frames.ts';
import { type SpdyHeaders, SpdyHeaderReader, SpdyHeaderWriter } from './spdy-headers.ts';

/** What carries SPDY's bytes: a socket, or a WebSocket's binary messages. */
export interface SpdyTransport {
  send(bytes: Buffer, done: (error?: Error | null) => void): void;
  pause(): void;
  resume(): void;
  close(): void;
}

const dataBytesMax = 32 * 1024;
/** Unread bytes of a stream above which the whole connection waits: Kubernetes' SPDY has no windows of its own. */
const unreadBytesMax = 1024 * 1024;
const resetCancel = 5;

/** The server's side of a SPDY/3.1 connection whose streams the client opens. */
export class SpdyConnection {
  readonly #transport: SpdyTransport;
  readonly #onStream: (stream: SpdyStream) => void;
  readonly #frames = new SpdyFrameReader();
  readonly #headerReader = new SpdyHeaderReader();
  readonly #headerWriter = new SpdyHeaderWriter();
  readonly #streams = new Map<number, SpdyStream>();
  readonly #blocked = new Set<number>();
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(transport: SpdyTransport, onStream: (stream: SpdyStream) => void) {
    this.#transport = transport;
    this.#onStream = onStream;
  }

  /** Takes in received bytes, in order. A broken frame closes the connection. */
  receive(chunk: Buffer): void {
    this.#work = this.#work
      .then(async () => {
        for (const frame of this.#frames.push(chunk)) await this.#handle(frame);
      })
      .catch(() => this.close());
  }

  /** Ends all streams; the transport is closed. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const stream of this.#streams.values()) stream.destroy();
    this.#streams.clear();
    this.#headerReader.close();
    this.#transport.close();
  }

  send(frame: SpdyFrame, done: (error?: Error | null) => void = () => {}): void {
    if (this.#closed) done(new Error('the SPDY connection is closed'));
    else this.#transport.send(encodeFrame(frame), done);
  }

  block(streamId: number, blocked: boolean): void {
    if (blocked) this.#blocked.add(streamId);
    else if (!this.#blocked.delete(streamId)) return;
    if (this.#blocked.size > 0) this.#transport.pause();
    else this.#transport.resume();
  }

  forget(streamId: number): void {
    this.#streams.delete(streamId);
    this.block(streamId, false);
  }

  async #handle(frame: SpdyFrame): Promise<void> {
    if (this.#closed) return;
    if (frame.type === 'synStream') {
      const headers = await this.#headerReader.read(frame.headerBlock);
      const stream = new SpdyStream(this, frame.streamId, headers);
      this.#streams.set(frame.streamId, stream);
      const headerBlock = this.#headerWriter.write({});
      this.send({ type: 'synReply', streamId: frame.streamId, fin: false, headerBlock });
      if (frame.fin) stream.receive(null);
      this.#onStream(stream);
    } else if (frame.type === 'data') {
      const stream = this.#streams.get(frame.streamId);
      if (frame.data.length > 0) stream?.receive(frame.data);
      if (frame.fin) stream?.receive(null);
    } else if (frame.type === 'headers' || frame.type === 'synReply') await this.#headerReader.read(frame.headerBlock);
    else if (frame.type === 'reset') this.#streams.get(frame.streamId)?.destroy();
    else if (frame.type === 'ping' && frame.id % 2 === 1) this.send(frame);
    else if (frame.type === 'goAway' && this.#streams.size === 0) this.close();
  }
}

/** One stream: what the client sends is read, what is written goes to the client; each side ends for itself. */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: SpdyHeaders;
  readonly #connection: SpdyConnection;
  #ended = false;

  constructor(connection: SpdyConnection, id: number, headers: SpdyHeaders) {
    super({ allowHalfOpen: true, autoDestroy: true });
    this.id = id;
    this.headers = headers;
    this.#connection = connection;
    this.on('error', () => {});
  }

  receive(data: Buffer | null): void {
    if (this.destroyed || this.readableEnded) return;
    this.push(data);
    if (this.readableLength > unreadBytesMax) this.#connection.block(this.id, true);
  }

  override _read(): void {
    if (this.readableLength <= unreadBytesMax) this.#connection.block(this.id, false);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const parts: Buffer[] = [];
    for (let at = 0; at < chunk.length; at += dataBytesMax) parts.push(chunk.subarray(at, at + dataBytesMax));
    for (const [index, data] of parts.entries()) {
      const last = index === parts.length - 1;
      this.#connection.send({ type: 'data', streamId: this.id, fin: false, data }, last ? done : () => {});
    }
    if (parts.length === 0) done();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#ended = true;
    this.#connection.send({ type: 'data', streamId: this.id, fin: true, data: Buffer.alloc(0) }, () => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#ended) this.#connection.send({ type: 'reset', streamId: this.id, status: resetCancel });
    this.#connection.forget(this.id);
    done(error);
  }
}
