import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { ServerContext } from '../context.ts';
import { encodeAnswer, longList } from '../encode/answer.ts';
import { watchContentType, WatchEncoder } from '../encode/watch-frames.ts';
import { handle } from '../lifecycle.ts';
import type { Content, ServerRequest, ServerResponse } from '../request.ts';
import { shuttingDown } from '../shutdown.ts';
import { commonHeaders } from './exchange.ts';
import { faultBytes, faultOf } from './faults.ts';
import { closeLater, cutUnlessTaken } from './patience.ts';
import { lastTurnOf } from './pipeline.ts';
import { chunkedStream } from './raw-stream.ts';
import { fromHttp, type ClientCertificate } from './request.ts';
import { addHeaders, type Headers, type Incoming } from './response.ts';
import { tellWatch } from './watch-writer.ts';
import { logOverWebSocket } from './websocket-log.ts';
import { watchOverWebSocket } from './websocket-watch.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

interface Upgrade {
  readonly incoming: Incoming;
  /** Node has let go of it. */
  readonly socket: Duplex;
  /** What came after the request's head. */
  readonly head: Buffer;
  readonly certificate: () => ClientCertificate;
}

/**
 * Connections that a connector takes over (exec, port-forward); what is refused is answered as HTTP, and so is CONNECT: no
 * path takes it. Never throws.
 */
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
  await lastTurnOf(connection);
  if (!socket.writable) return;
  const fault = faultOf(incoming as IncomingMessage);
  if (fault) {
    socket.end(faultBytes(fault));
    return closeLater(socket, server);
  }
  // An upgrade that is asked of what is no stream is an ordinary request, and must not take longer than one.
  const limits = {
    limit: (timeoutMs: number) => void (cancel = server.clock.after(timeoutMs, () => connection.destroy())),
    distrust: () => {},
  };
  let onSent: ServerResponse['onSent'];
  try {
    const upgrade = incoming.method === 'CONNECT' || !incoming.headers.upgrade ? undefined : { socket, head };
    const request = fromHttp(incoming, certificate(), gone.signal, upgrade, limits);
    const response = server.shutdown.refuses(request) ? shuttingDown : await handle(request, server);
    ({ onSent } = response);
    if (response.onEnd) {
      if (connection.destroyed) response.onEnd();
      else connection.once('close', response.onEnd);
    }
    const { content } = response;
    const isWebSocket = incoming.headers.upgrade?.toLowerCase() === 'websocket';
    const asked = { incoming, socket, head };
    if (isWebSocket && content.type === 'watch') await watchOverWebSocket(content, request, asked, server);
    else if (isWebSocket && content.type === 'stream' && content.isLog && content.body) {
      await logOverWebSocket(content.body, asked, server);
    } else if (content.type !== 'upgraded') {
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
  response: ServerResponse,
  request: ServerRequest,
  socket: Duplex,
  server: ServerContext,
  headers: Headers,
): Promise<void> {
  const { content, code } = response;
  const all: Headers = { ...headers };
  addHeaders(all, response);
  all['connection'] = 'close';
  let body: Buffer | AsyncIterable<Uint8Array> = Buffer.alloc(0);
  let length: number | undefined;
  if (content.type === 'watch') {
    all['content-type'] = watchContentType(content.format);
    all['transfer-encoding'] = 'chunked';
  } else if (content.type === 'stream') body = content.body ?? body;
  else if (content.type !== 'upgraded') {
    const nowMs = server.clock.now();
    const long = await longList(content, nowMs, request.query);
    if (long) ({ length } = long);
    const encoded = long
      ? { contentType: long.contentType, body: inTurns(long.pieces(pieceBytesMin)) }
      : encodeAnswer(content, nowMs, request.query);
    all['content-type'] = encoded.contentType;
    body = encoded.body;
  }
  if (content.type !== 'watch' && Buffer.isBuffer(body)) ({ length } = body);
  const isEmpty = code === 204 || code === 304;
  if (length !== undefined && !isEmpty) all['content-length'] = String(length);
  const lines = Object.entries(all).flatMap(([name, value]) =>
    typeof value === 'string' ? `${name}: ${value}` : value.map((one) => `${name}: ${one}`),
  );
  socket.write(`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n`);
  // Who goes away in the middle is no trouble of ours.
  if (content.type === 'watch') await tellRaw(content, request, socket, server);
  else {
    const whole = Buffer.isBuffer(body) && (isEmpty || request.method === 'HEAD' ? [] : [body]);
    await pipeline(whole || body, socket).catch(() => socket.destroy());
  }
  closeLater(socket, server);
}

/** Of a long list, objects of so many bytes are encoded at a time. */
const pieceBytesMin = 128 * 1024;

/** Others have their turn after each piece. */
async function* inTurns(pieces: Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    yield piece;
    await setImmediate();
  }
}

function tellRaw(
  watch: Extract<Content, { type: 'watch' }>,
  { query }: ServerRequest,
  socket: Duplex,
  server: ServerContext,
): Promise<void> {
  const chunks = chunkedStream(socket);
  cutUnlessTaken({ content: watch }, chunks, server);
  // Who leaves is noticed by what comes, and that is no request any more.
  socket.resume();
  socket.once('end', () => watch.watcher.end());
  return tellWatch(
    watch,
    new WatchEncoder(watch.resource, watch.format, query, () => server.clock.now()),
    chunks,
    server,
  );
}
