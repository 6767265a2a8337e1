import type { ServerResponse as HttpResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Writable } from 'node:stream';
import type { ServerContext } from '../context.ts';
import { WatchEncoder, watchContentType } from '../encode/watch-frames.ts';
import type { Content, ServerRequest } from '../request.ts';

type Outgoing = HttpResponse | Http2ServerResponse;

/** Writes a watch's events as they come, until it ends or its client is gone. Never throws. */
export async function writeWatch(
  { watcher, resource, format }: Extract<Content, { type: 'watch' }>,
  request: ServerRequest,
  outgoing: Outgoing,
  server: ServerContext,
  headers: Record<string, string | readonly string[]>,
): Promise<void> {
  headers['content-type'] = watchContentType(format);
  (outgoing as HttpResponse).writeHead(200, headers as never);
  if ('flushHeaders' in outgoing) outgoing.flushHeaders();
  const encoder = new WatchEncoder(resource, format, request.query, () => server.clock.now());
  const { events, sizes } = server.metrics.watches.of(resource.group, resource.version, resource.plural);
  try {
    for await (const batch of watcher.batches()) {
      if (outgoing.destroyed) break;
      const bytes = encoder.batch(batch);
      events.add(batch.length);
      for (let index = 0; index < batch.length; index += 1) sizes.observe(bytes.length / batch.length);
      const full = writeBatch(outgoing, bytes);
      if (full) await drained(full);
    }
  } catch (error) {
    if (!outgoing.destroyed) write(outgoing, encoder.error(error));
  }
  (outgoing as HttpResponse).end();
}

/** Answers what must drain before more is written. */
function writeBatch(outgoing: Outgoing, bytes: Buffer): Writable | Outgoing | undefined {
  // An empty chunk would be the end of the answer.
  if (bytes.length === 0) return undefined;
  const isChunked = 'chunkedEncoding' in outgoing && outgoing.chunkedEncoding;
  const socket = isChunked ? outgoing.socket : undefined;
  // Of a pipeline, only the answer whose turn it is has the connection.
  if (!socket || outgoing.writableLength > socket.writableLength) return write(outgoing, bytes) ? undefined : outgoing;
  return socket.write(chunkOf(bytes)) ? undefined : socket;
}

let latestBytes: Buffer | undefined;
let latestChunk: Buffer | undefined;
const lineEnd = Buffer.from('\r\n');
/** More than that is not held for others. */
const sharedBytesMax = 1024 * 1024;

/** A chunk of HTTP/1.1 in one piece, shared by all watches that are told the same. */
function chunkOf(bytes: Buffer): Buffer {
  if (bytes === latestBytes) return latestChunk!;
  const chunk = Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`, 'latin1'), bytes, lineEnd]);
  if (bytes.length <= sharedBytesMax) {
    latestBytes = bytes;
    latestChunk = chunk;
  }
  return chunk;
}

export const write = (outgoing: Outgoing, bytes: Uint8Array): boolean => (outgoing as HttpResponse).write(bytes);

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
