import type { Writable } from 'node:stream';
import type { ServerContext } from '../context.ts';
import { cutUnlessRead } from './patience.ts';
import { drained } from './watch-writer.ts';
import { binaryFrame, brokenOff, openWebSocket, textFrame, type Choose, type WebSocketRequest } from './websocket.ts';

/** How a piece of the log is told, by protocol (k8s.io/streaming, wsstream). */
const frames: ReadonlyMap<string, (piece: Uint8Array) => Buffer> = new Map([
  ['', binaryFrame],
  ['binary.k8s.io', binaryFrame],
  ['base64.binary.k8s.io', (piece) => textFrame(Buffer.from(Buffer.from(piece).toString('base64')))],
]);

const choose: Choose = (offered) => {
  const protocol = offered.length === 0 ? '' : offered.find((name) => frames.has(name));
  return protocol === undefined ? { refusal: '403 Forbidden' } : { protocol };
};

/**
 * Tells a log over a WebSocket as it comes, after an empty message. When its client has enough, so has the kubelet: it is
 * asked on behalf of the connection. Never throws.
 */
export async function logOverWebSocket(
  log: AsyncIterable<Uint8Array>,
  asked: WebSocketRequest,
  server: ServerContext,
): Promise<void> {
  const end = (messages: Writable) => {
    if (messages.writableEnded) return;
    messages.end();
    cutUnlessRead(messages, server);
  };
  const { messages, protocol } = openWebSocket(asked, choose, end, server) ?? refused;
  const frame = frames.get(protocol)!;
  // Its farewell may have come with the request.
  if (messages?.writable) messages.write(frame(nothing));
  try {
    for await (const piece of log) {
      if (!messages?.writable) return;
      if (!messages.write(frame(piece))) await drained(messages);
    }
  } catch {
    if (messages?.writable) messages.write(brokenOff());
  }
  if (messages) end(messages);
}

const nothing = Buffer.alloc(0);
/** The log is not told, but it is let go of. */
const refused = { messages: undefined, protocol: '' };
