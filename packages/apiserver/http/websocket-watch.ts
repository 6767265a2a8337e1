import type { ServerContext } from '../context.ts';
import { WatchEncoder } from '../encode/watch-frames.ts';
import type { Content, ServerRequest } from '../request.ts';
import type { WatchItem } from '../storage/cache-event.ts';
import { cutUnlessTaken } from './patience.ts';
import { tellWatch } from './watch-writer.ts';
import { binaryFrame, openWebSocket, textFrame, type Choose, type WebSocketRequest } from './websocket.ts';

/** Of an event in protobuf; a message has its own length. */
const lengthPrefixBytes = 4;

/** Clients must name their origin, and one protocol at most, whichever it is. */
const choose: Choose = ([protocol = '', ...others], origin) => {
  if (!URL.canParse(origin) && !origin.startsWith('/')) return { refusal: '403 Forbidden' };
  return others.length > 0 ? { refusal: '400 Bad Request' } : { protocol };
};

/**
 * Tells a watch over a WebSocket, an event a message: text where it is JSON, binary otherwise. Resolves when the watch has
 * ended. Never throws.
 */
export async function watchOverWebSocket(
  watch: Extract<Content, { type: 'watch' }>,
  { query }: ServerRequest,
  asked: WebSocketRequest,
  server: ServerContext,
): Promise<void> {
  const { watcher, resource, format } = watch;
  const opened = openWebSocket(asked, choose, () => watcher.end(), server);
  if (!opened) return watcher.end();
  const { messages } = opened;
  cutUnlessTaken({ content: watch }, messages, server);
  const encoder = new WatchEncoder(resource, format, query, () => server.clock.now());
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
}
