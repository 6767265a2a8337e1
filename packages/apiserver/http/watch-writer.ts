import type { ServerResponse as HttpResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Writable } from 'node:stream';
import type { ServerContext } from '../context.ts';
import { WatchEncoder, watchContentType } from '../encode/watch-frames.ts';
import type { WatchSeries } from '../metrics/watches.ts';
import type { Content, ServerRequest } from '../request.ts';
import type { WatchItem } from '../storage/cache-event.ts';
import type { Watcher } from '../storage/watcher.ts';
import { chunkOf } from './raw-stream.ts';
import type { Turn, Turns } from './turns.ts';

type Outgoing = HttpResponse | Http2ServerResponse;

type Watch = Extract<Content, { type: 'watch' }>;

/** Writes a watch's events as they come, until it ends or its client is gone. Never throws. */
export function writeWatch(
  watch: Watch,
  { query }: ServerRequest,
  outgoing: Outgoing,
  server: ServerContext,
  headers: Record<string, string | readonly string[]>,
): Promise<void> {
  headers['content-type'] = watchContentType(watch.format);
  (outgoing as HttpResponse).writeHead(200, headers as never);
  if ('flushHeaders' in outgoing) outgoing.flushHeaders();
  const encoder = new WatchEncoder(watch.resource, watch.format, query, () => server.clock.now());
  return tellWatch(watch, encoder, outgoing, server);
}

/** The same where something else was said already, and events are put into other words. */
export function tellWatch(
  watch: Watch,
  encoder: EventEncoder,
  outgoing: Outgoing | Writable,
  server: ServerContext,
): Promise<void> {
  return new Promise((resolve) => new WatchWriter(watch, encoder, outgoing, server, resolve).next());
}

type EventEncoder = Pick<WatchEncoder, 'batch' | 'error'>;

/** One watch on its connection: whenever there is something to tell, it stands in line, and writes all of it at once. */
class WatchWriter implements Turn {
  readonly #watcher: Watcher;
  readonly #encoder: EventEncoder;
  readonly #outgoing: Outgoing | Writable;
  readonly #turns: Turns;
  readonly #metrics: WatchSeries;
  readonly #onEnd: () => void;
  /** From when it stands in line until all is on its way to the reader. */
  #isBusy = false;

  constructor(
    { watcher, resource }: Watch,
    encoder: EventEncoder,
    outgoing: Outgoing | Writable,
    { turns, metrics }: ServerContext,
    onEnd: () => void,
  ) {
    this.#watcher = watcher;
    this.#encoder = encoder;
    this.#outgoing = outgoing;
    this.#turns = turns;
    this.#metrics = metrics.watches.of(resource.group, resource.version, resource.plural);
    this.#onEnd = onEnd;
    watcher.onReady = () => this.next();
  }

  next(): void {
    if (this.#isBusy || !this.#watcher.isReady) return;
    this.#isBusy = true;
    this.#turns.wait(this);
  }

  take(): void {
    try {
      const batch = this.#watcher.take();
      if (!batch) return this.#end();
      const pending = this.#watcher.prepare?.(batch);
      if (!pending) return this.#send(batch);
      void pending.then(() => this.#send(batch)).catch((error: unknown) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
  }

  #send(batch: readonly WatchItem[]): void {
    if (this.#outgoing.destroyed) return this.#end();
    const bytes = this.#encoder.batch(batch);
    this.#metrics.events.add(batch.length);
    this.#metrics.sizes.observe(bytes.length / batch.length, batch.length);
    const writing = writeBatch(this.#outgoing, bytes);
    if (writing) void writing.then(() => this.#free());
    else this.#free();
  }

  #free(): void {
    this.#isBusy = false;
    this.next();
  }

  #fail(error: unknown): void {
    if (!this.#outgoing.destroyed) write(this.#outgoing, this.#encoder.error(error));
    this.#end();
  }

  #end(): void {
    this.#watcher.end();
    (this.#outgoing as HttpResponse).end();
    this.#onEnd();
  }
}

/** A promise where more must not be written at once. */
function writeBatch(outgoing: Outgoing | Writable, bytes: Buffer): Promise<void> | undefined {
  // An empty chunk would be the end of the answer.
  if (bytes.length === 0) return undefined;
  const isChunked = 'chunkedEncoding' in outgoing && outgoing.chunkedEncoding;
  const socket = isChunked ? outgoing.socket : undefined;
  // Of a pipeline, only the answer whose turn it is has the connection.
  if (!socket || outgoing.writableLength > socket.writableLength) {
    // A stream that is given less does not tell when it was taken, and that its reader goes on.
    return writePieces(outgoing, bytes, outgoing.writableHighWaterMark);
  }
  return writePieces(socket, sharedChunk(bytes), pieceBytesMax);
}

/** Two records of TLS. */
const pieceBytesMax = 32 * 1024 - 1;

/**
 * One after the other: a connection of TLS keeps a buffer as large as what was last written to it at once, and one of HTTP/2
 * encrypts all that its streams wrote, whether its reader takes any of it or not.
 */
function writePieces(to: Outgoing | Writable, bytes: Buffer, pieceBytes: number): Promise<void> | undefined {
  if (bytes.length <= pieceBytes) return write(to, bytes) ? undefined : drained(to);
  return new Promise((resolve) => {
    let at = 0;
    const next = () => {
      if (at < bytes.length && !to.destroyed) {
        (to as Writable).write(bytes.subarray(at, at + pieceBytes), next);
        at += pieceBytes;
        return;
      }
      to.off('close', resolve);
      resolve();
    };
    to.once('close', resolve);
    next();
  });
}

let latestBytes: Buffer | undefined;
let latestChunk: Buffer | undefined;
/** More than that is not held for others. */
const sharedBytesMax = 1024 * 1024;

/** One for all watches that are told the same. */
function sharedChunk(bytes: Buffer): Buffer {
  if (bytes === latestBytes) return latestChunk!;
  const chunk = chunkOf(bytes);
  if (bytes.length <= sharedBytesMax) {
    latestBytes = bytes;
    latestChunk = chunk;
  }
  return chunk;
}

export const write = (outgoing: Outgoing | Writable, bytes: Uint8Array): boolean =>
  (outgoing as HttpResponse).write(bytes);

/** Resolves when the connection takes more, or is gone. */
export function drained(outgoing: Writable | Outgoing): Promise<void> {
  if (outgoing.destroyed) return Promise.resolve();
  const writable = outgoing as Writable;
  return new Promise((resolve) => {
    const done = () => {
      writable.off('drain', done);
      writable.off('close', done);
      resolve();
    };
    writable.on('drain', done);
    writable.on('close', done);
  });
}
