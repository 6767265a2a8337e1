import type { IncomingMessage, ServerResponse as HttpResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzip } from 'node:zlib';
import { StatusError } from '@kubernode/api';
import type { ServerContext } from '../context.ts';
import { encodeAnswer, encodeValue, joinedList } from '../encode/answer.ts';
import { JoinedList } from '../encode/joined-list.ts';
import { plainJson } from '../encode/negotiate.ts';
import type { ServerRequest, ServerResponse } from '../request.ts';
import { LentBuffers } from './lent-buffers.ts';
import { warningHeaders } from './warning-headers.ts';
import { drained, write, writeWatch } from './watch-writer.ts';

export type Incoming = IncomingMessage | Http2ServerRequest;
export type Outgoing = HttpResponse | Http2ServerResponse;

type Headers = Record<string, string | readonly string[]>;

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
  Object.assign(headers, response.headers);
  if (response.warnings && response.warnings.length > 0) headers['warning'] = warningHeaders(response.warnings);
  if (content.type === 'upgraded') return;
  if (content.type === 'watch') return writeWatch(content, request, outgoing, server, headers);
  if (content.type === 'stream') return writeStream(response.code, content.body, outgoing, headers);
  let code = response.code;
  let encoded: { contentType: string; body: Buffer };
  let borrowed: Buffer | undefined;
  try {
    const list = joinedList(content);
    if (list && list.length >= streamedBytesMin) return await writeList(response, list, request, outgoing, headers);
    if (list instanceof JoinedList) borrowed = lent.take(list.length);
    encoded = list
      ? { contentType: list.contentType, body: list.whole(borrowed) }
      : encodeAnswer(content, server.clock.now(), request.query);
  } catch (error) {
    const { status, code: failed } = StatusError.from(error);
    if (!(error instanceof StatusError))
      server.log.error('an answer cannot be encoded', { stack: String((error as Error).stack) });
    code = failed;
    encoded = { contentType: 'application/json', body: encodeValue(status, plainJson) };
  }
  headers['content-type'] ??= encoded.contentType;
  const { body } = encoded;
  response.onSize?.(body.length);
  if (body.length > gzipBytesMin && acceptsGzip(request)) {
    headers['content-encoding'] = 'gzip';
    headers['vary'] ??= 'Accept-Encoding';
    end(outgoing, code, headers, await compressed(body));
    if (borrowed) lent.giveBack(borrowed);
  } else {
    // What was not sent to its end may still wait in the connection: then the memory is not lent again. An answer of
    // HTTP/2 finishes even then, its stream does not.
    const sent = 'stream' in outgoing ? outgoing.stream : outgoing;
    if (borrowed) sent.once('finish', () => lent.giveBack(borrowed));
    end(outgoing, code, headers, body);
  }
}

/** Lists that are longer are sent in pieces; in one piece they cost half as much, as long as they are not huge. */
const streamedBytesMin = 4 * 1024 * 1024;
const pieceBytesMin = 128 * 1024;

const acceptsGzip = ({ headers }: ServerRequest): boolean => takesGzip.test(headers['accept-encoding'] ?? '');

/** As fast as its reader takes it. */
async function writeList(
  { code, onSize }: ServerResponse,
  list: NonNullable<ReturnType<typeof joinedList>>,
  request: ServerRequest,
  outgoing: Outgoing,
  headers: Headers,
): Promise<void> {
  headers['content-type'] ??= list.contentType;
  onSize?.(list.length);
  if (outgoing.destroyed) return;
  if (!acceptsGzip(request)) {
    headers['content-length'] = String(list.length);
    return writeStream(code, list.pieces(pieceBytesMin), outgoing, headers);
  }
  headers['content-encoding'] = 'gzip';
  headers['vary'] ??= 'Accept-Encoding';
  (outgoing as HttpResponse).writeHead(code, headers as never);
  // Whoever goes away in the middle is no trouble of ours.
  await pipeline(list.pieces(pieceBytesMin), createGzip({ level: 1 }), outgoing as HttpResponse).catch(() =>
    outgoing.destroy(),
  );
}

function end(outgoing: Outgoing, code: number, headers: Headers, body: Buffer): void {
  if (outgoing.destroyed) return;
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
): Promise<void> {
  (outgoing as HttpResponse).writeHead(code, headers as never);
  if (body) {
    if (Symbol.asyncIterator in body && 'flushHeaders' in outgoing) outgoing.flushHeaders();
    try {
      for await (const chunk of body) {
        if (outgoing.destroyed) return;
        if (!write(outgoing, chunk)) await drained(outgoing);
      }
    } catch {
      outgoing.destroy();
      return;
    }
  }
  (outgoing as HttpResponse).end();
}
