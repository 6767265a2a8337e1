import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ServerContext } from '../context.ts';
import { encodeAnswer } from '../encode/answer.ts';
import { handle } from '../lifecycle.ts';
import type { ServerRequest, ServerResponse } from '../request.ts';
import { commonHeaders } from './exchange.ts';
import { fromHttp, type ClientCertificate } from './request.ts';
import type { Incoming } from './response.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

interface Upgrade {
  readonly incoming: Incoming;
  /** Node has let go of it. */
  readonly socket: Duplex;
  /** What came after the request's head. */
  readonly head: Buffer;
  readonly certificate: () => ClientCertificate;
}

/** Connections that a connector takes over (exec, port-forward); what is refused is answered as HTTP. Never throws. */
export async function answerUpgrade(
  server: ServerContext,
  { incoming, socket, head, certificate }: Upgrade,
): Promise<void> {
  const gone = new AbortController();
  let cancel: (() => void) | undefined;
  const connection = incoming.socket;
  const over = () => {
    cancel?.();
    gone.abort();
    // Node has let go of the request, too: nobody else tells who waits for its body.
    if (!incoming.complete) incoming.destroy();
  };
  connection.once('close', over);
  socket.on('error', over);
  // An upgrade that is asked of what is no stream is an ordinary request, and must not take longer than one.
  const limits = {
    limit: (timeoutMs: number) => void (cancel = server.clock.after(timeoutMs, () => connection.destroy())),
    distrust: () => {},
  };
  let onSent: ServerResponse['onSent'];
  try {
    const request = fromHttp(incoming, certificate(), gone.signal, { socket, head }, limits);
    const response = await handle(request, server);
    ({ onSent } = response);
    if (response.onEnd) {
      if (connection.destroyed) response.onEnd();
      else connection.once('close', response.onEnd);
    }
    if (response.content.type !== 'upgraded') {
      await writeRaw(response, request, socket, server, commonHeaders(incoming, server));
    }
  } catch (error) {
    server.log.error('an upgrade could not be answered', { url: incoming.url, error: String(error) });
    connection.destroy();
  }
  onSent?.release();
}

/**
 * Answers on a connection that Node has let go of for an upgrade that does not come about; then closes it, for good after
 * a while where its client does not. Resolves when all is written.
 */
export async function writeRaw(
  { content, code, ...response }: ServerResponse,
  request: ServerRequest,
  socket: Duplex,
  server: ServerContext,
  headers: Record<string, string | readonly string[]>,
): Promise<void> {
  const all: Record<string, string | readonly string[]> = { ...headers, ...response.headers, connection: 'close' };
  let body: Buffer | AsyncIterable<Uint8Array> = Buffer.alloc(0);
  if (content.type === 'stream') body = content.body ?? body;
  else if (content.type === 'watch') content.watcher.end();
  else if (content.type !== 'upgraded') {
    const encoded = encodeAnswer(content, server.clock.now(), request.query);
    all['content-type'] = encoded.contentType;
    body = encoded.body;
  }
  if (Buffer.isBuffer(body)) all['content-length'] = String(body.length);
  const lines = Object.entries(all).flatMap(([name, value]) =>
    typeof value === 'string' ? `${name}: ${value}` : value.map((one) => `${name}: ${one}`),
  );
  socket.write(`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n`);
  // Who goes away in the middle is no trouble of ours.
  await pipeline(Buffer.isBuffer(body) ? [body] : body, socket).catch(() => socket.destroy());
  closeLater(socket, server);
}

/** A connection that is over here, but not there, is cut after a while. */
export function closeLater(socket: Duplex, { clock, limits }: ServerContext): void {
  if (socket.destroyed) return;
  const cancel = clock.after(limits.lingerMs, () => socket.destroy());
  socket.once('close', cancel);
  // What is still sent is read to its end: unread, it would take the answer with it.
  socket.resume();
}
