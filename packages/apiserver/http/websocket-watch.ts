import type { Duplex } from 'node:stream';
import type { ServerContext } from '../context.ts';
import { WatchEncoder } from '../encode/watch-frames.ts';
import type { Content, ServerRequest } from '../request.ts';
import type { WatchItem } from '../storage/cache-event.ts';
import { closeLater, cutUnlessTaken } from './patience.ts';
import type { Incoming } from './response.ts';
import { tellWatch } from './watch-writer.ts';
import { binaryFrame, handshake, textFrame, UnheardClient, webSocketOver } from './websocket.ts';

/** Of an event in protobuf; a message has its own length. */
const lengthPrefixBytes = 4;

interface Asked {
  readonly request: ServerRequest;
  readonly incoming: Incoming;
  /** Node has let go of it. */
  readonly socket: Duplex;
  /** What came after the request's head. */
  readonly head: Buffer;
}

/**
 * Tells a watch over a WebSocket, an event a message: text where it is JSON, binary otherwise. What the client says is not
 * listened to. Resolves when the watch has ended. Never throws.
 */
export async function watchOverWebSocket(
  watch: Extract<Content, { type: 'watch' }>,
  { request, incoming, socket, head }: Asked,
  server: ServerContext,
): Promise<void> {
  const { watcher, resource, format } = watch;
  const { isAccepted, head: answer } = handshake(incoming);
  socket.write(answer);
  if (!isAccepted) {
    watcher.end();
    socket.end();
    closeLater(socket, server);
    return;
  }
  const encoder = new WatchEncoder(resource, format, request.query, () => server.clock.now());
  const messages = webSocketOver(socket);
  cutUnlessTaken({ content: watch }, messages, server);
  const client = new UnheardClient(socket, () => watcher.end());
  if (head.length > 0) client.take(head);
  socket.on('data', (chunk: Buffer) => client.take(chunk));
  socket.once('end', () => watcher.end());
  const isText = format.encoding === 'json';
  const message = (bytes: Buffer) => {
    if (isText) return textFrame(bytes);
    return binaryFrame(format.encoding === 'protobuf' ? bytes.subarray(lengthPrefixBytes) : bytes);
  };
  const framed = {
    batch: (items: readonly WatchItem[]) => Buffer.concat(items.map((item) => message(encoder.batch([item])))),
    error: (error: unknown) => message(encoder.error(error)),
  };
  await tellWatch(watch, framed, messages, server);
  closeLater(socket, server);
}
