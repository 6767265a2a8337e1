import type { IncomingMessage, ServerResponse as HttpResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGzip, gzip } from 'node:zlib';
import { StatusError } from '@kubernode/api';
import type { ServerContext } from '../context.ts';
import { encodeAnswer, joinedList, longList } from '../encode/answer.ts';
import { wholeOf, type JoinedList } from '../encode/list-items.ts';
import { plainJson } from '../encode/negotiate.ts';
import type { LongList } from '../encode/portions.ts';
import { encodeValue } from '../encode/print.ts';
import type { Content, ServerRequest, ServerResponse } from '../request.ts';
import { LentBuffers } from './lent-buffers.ts';
import { warningHeaders } from './warning-headers.ts';
import { drained, write, writeWatch } from './watch-writer.ts';

export type Incoming = IncomingMessage | Http2ServerRequest;
export type Outgoing = HttpResponse | Http2ServerResponse;

export type Headers = Record<string, string | readonly string[]>;

/** An answer that is encoded as a whole. */
export interface WholeAnswer {
  readonly code: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Answers that are larger are compressed for who accepts it (upstream's defaultGzipThresholdBytes). */
const gzipBytesMin = 128 * 1024;
/** Of all servers in the process. */
const lent = new LentBuffers();
const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:[,;\s]|$))/;

/** Writes a response to its connection; resolves when all is handed over. Never throws. */
export async function writeResponse(
  response: ServerResponse,
  request: ServerRequest,
  outgoing: Outgoing,
  server: ServerContext,
  headers: Headers,
): Promise<void> {
  const { content } = response;
  if (content.type === 'upgraded') return;
  addHeaders(headers, response);
  if (isWhole(content)) {
    return writeWhole(wholeAnswer(response, content, request, server), { request, outgoing, headers });
  }
  if (content.type === 'watch') return writeWatch(content, request, outgoing, server, headers);
  if (content.type === 'stream') return writeStream(response.code, content.body, outgoing, headers);
  let whole: WholeAnswer;
  try {
    const nowMs = server.clock.now();
    const long = longList(content, nowMs, request.query);
    if (long) return await writeList(response, await long, { request, outgoing, server, headers });
    const list = joinedList(content, nowMs, request.query);
    if (list && list.items.length > sharedBytesMin) {
      return await writeJoined(response, list, { request, outgoing, server, headers });
    }
    whole = list
      ? { code: response.code, contentType: list.contentType, body: wholeOf(list) }
      : { code: response.code, ...encodeAnswer(content, nowMs, request.query) };
  } catch (error) {
    whole = failedAnswer(error, server);
  }
  response.onSize?.(whole.body.length);
  return writeWhole(whole, { request, outgoing, headers });
}

type WholeContent = Extract<Content, { type: 'object' | 'value' | 'bytes' }>;

/** All but lists, and what goes on for long. */
export const isWhole = (content: Content): content is WholeContent =>
  content.type === 'object' || content.type === 'value' || content.type === 'bytes';

/** What cannot be encoded is a failure, said as a Status. */
export function wholeAnswer(
  { code, onSize }: ServerResponse,
  content: WholeContent,
  { query }: ServerRequest,
  server: ServerContext,
): WholeAnswer {
  let whole: WholeAnswer;
  try {
    whole = { code, ...encodeAnswer(content, server.clock.now(), query) };
  } catch (error) {
    whole = failedAnswer(error, server);
  }
  onSize?.(whole.body.length);
  return whole;
}

function failedAnswer(error: unknown, server: ServerContext): WholeAnswer {
  const { status, code } = StatusError.from(error);
  if (!(error instanceof StatusError)) {
    server.log.error('an answer cannot be encoded', { stack: String((error as Error).stack) });
  }
  return { code, contentType: 'application/json', body: encodeValue(status, plainJson) };
}

/** What an answer says beside its body. */
export function addHeaders(headers: Headers, { headers: more, warnings }: ServerResponse): void {
  Object.assign(headers, more);
  if (warnings && warnings.length > 0) headers['warning'] = warningHeaders(warnings);
}

/** Resolves when it is handed over; compressed, where it is long and its reader takes that. */
export async function writeWhole(
  { code, contentType, body }: WholeAnswer,
  { request, outgoing, headers }: Pick<Sending, 'request' | 'outgoing' | 'headers'>,
): Promise<void> {
  headers['content-type'] ??= contentType;
  if (body.length > gzipBytesMin && acceptsGzip(request)) await endCompressed(outgoing, code, headers, body);
  else end(outgoing, code, headers, body);
}

/** Of the items of lists. */
const sharedBytesMin = 64 * 1024;

/** The items of a list are in memory once, however many read them. */
async function writeJoined({ code, onSize }: ServerResponse, list: JoinedList, sending: Sending): Promise<void> {
  const { request, outgoing, headers } = sending;
  const { head, items, contentType } = list;
  headers['content-type'] ??= contentType;
  const length = head.length + items.length;
  const { bytes, giveBack, forsake } = lent.lend(items);
  onSize?.(length);
  if (length > gzipBytesMin && acceptsGzip(request)) {
    const whole = Buffer.concat([head, bytes]);
    giveBack();
    return endCompressed(outgoing, code, headers, whole);
  }
  if (isOver(outgoing)) return giveBack();
  // What was not sent to its end may still wait in the connection. An answer of HTTP/2 finishes even then, its stream
  // does not.
  const sent = 'stream' in outgoing ? outgoing.stream : outgoing;
  sent.once('finish', giveBack);
  sent.once('close', forsake);
  headers['content-length'] = String(length);
  (outgoing as HttpResponse).writeHead(code, headers as never);
  write(outgoing, head);
  // Written by themselves, the items are encrypted where they are; together with the head they would be copied once more.
  if ('uncork' in outgoing) outgoing.uncork();
  (outgoing as HttpResponse).end(bytes);
}

async function endCompressed(outgoing: Outgoing, code: number, headers: Headers, body: Buffer): Promise<void> {
  headers['content-encoding'] = 'gzip';
  headers['vary'] ??= 'Accept-Encoding';
  end(outgoing, code, headers, await compressed(body));
}

/** Of a long list, objects of so many bytes are encoded at a time. */
const pieceBytesMin = 128 * 1024;

const acceptsGzip = ({ headers }: ServerRequest): boolean => takesGzip.test(headers['accept-encoding'] ?? '');

interface Sending {
  readonly request: ServerRequest;
  readonly outgoing: Outgoing;
  readonly server: ServerContext;
  readonly headers: Headers;
}

/** As fast as its reader takes it. Rejects only before anything is sent. */
async function writeList({ code, onSize }: ServerResponse, list: LongList, sending: Sending): Promise<void> {
  const { request, outgoing, server, headers } = sending;
  if (isOver(outgoing)) return;
  const isPacked = acceptsGzip(request);
  const pieces = list.pieces(pieceBytesMin, isPacked ? undefined : reusedMemory());
  // What goes wrong at once can be said still.
  const first = pieces.next();
  headers['content-type'] ??= list.contentType;
  const body = inTurns(first.value, pieces, { onSize, server });
  if (!isPacked) {
    if (list.length !== undefined) headers['content-length'] = String(list.length);
    return writeStream(code, body, outgoing, headers, written);
  }
  headers['content-encoding'] = 'gzip';
  headers['vary'] ??= 'Accept-Encoding';
  (outgoing as HttpResponse).writeHead(code, headers as never);
  // Whoever goes away in the middle is no trouble of ours.
  await pipeline(body, createGzip({ level: 1 }), outgoing as HttpResponse).catch(() => outgoing.destroy());
}

/** The same memory each time, as long as it is large enough. */
function reusedMemory(): (length: number) => Buffer {
  let memory = Buffer.alloc(0);
  return (length) => {
    if (memory.length < length) memory = Buffer.allocUnsafeSlow(length + (length >> 2));
    return memory.subarray(0, length);
  };
}

/** Others have their turn after each piece, even if the connection takes all of them at once. */
async function* inTurns(
  first: Buffer,
  rest: Iterable<Buffer>,
  { onSize, server }: Pick<ServerResponse, 'onSize'> & Pick<Sending, 'server'>,
): AsyncGenerator<Buffer> {
  let bytes = first.length;
  try {
    yield first;
    for (const piece of rest) {
      await setImmediate();
      bytes += piece.length;
      yield piece;
    }
  } catch (error) {
    server.log.error('a list cannot be encoded to its end', { stack: String((error as Error).stack) });
    throw error;
  } finally {
    onSize?.(bytes);
  }
}

/** Nobody waits for the answer any more, or it was said that it took too long. */
const isOver = (outgoing: Outgoing): boolean => outgoing.destroyed || outgoing.headersSent;

function end(outgoing: Outgoing, code: number, headers: Headers, body: Buffer): void {
  if (isOver(outgoing)) return;
  if (code !== 304 && code !== 204) headers['content-length'] = String(body.length);
  (outgoing as HttpResponse).writeHead(code, headers as never);
  (outgoing as HttpResponse).end(body);
}

const compressed = (bytes: Buffer) =>
  new Promise<Buffer>((resolve, reject) => {
    gzip(bytes, { level: 1 }, (error, result) => (error ? reject(error) : resolve(result)));
  });

async function writeStream(
  code: number,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | undefined,
  outgoing: Outgoing,
  headers: Headers,
  send = handOver,
): Promise<void> {
  (outgoing as HttpResponse).writeHead(code, headers as never);
  if (body) {
    if (Symbol.asyncIterator in body && 'flushHeaders' in outgoing) outgoing.flushHeaders();
    try {
      for await (const chunk of body) {
        if (outgoing.destroyed) return;
        await send(outgoing, chunk);
      }
    } catch {
      outgoing.destroy();
      return;
    }
  }
  (outgoing as HttpResponse).end();
}

/** Waits only where much waits already. */
function handOver(outgoing: Outgoing, chunk: Uint8Array): Promise<void> | undefined {
  return write(outgoing, chunk) ? undefined : drained(outgoing);
}

/** Resolves when nobody reads the chunk any more. */
function written(outgoing: Outgoing, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('close', done);
      resolve();
    };
    outgoing.once('close', done);
    (outgoing as HttpResponse).write(chunk, done);
  });
}
