import { StatusError } from '@kubernode/api';
import type { Credentials } from '../seams.ts';
import type { RequestBody, ServerRequest } from '../request.ts';
import { JoinedPieces } from './joined-pieces.ts';
import type { Incoming } from './response.ts';

/** Upstream's limit on request bodies. */
const bodyBytesMax = 3 * 1024 * 1024;
const noQuery = new URLSearchParams();
const empty: RequestBody = { bytes: Buffer.alloc(0) };

/** What TLS tells of the client. */
export type ClientCertificate = Pick<
  Credentials,
  'clientCertificate' | 'clientCertificateInvalid' | 'clientIntermediates'
>;

/** A request off the wire. `signal` aborts when the client goes away. */
export function fromHttp(
  incoming: Incoming,
  certificate: ClientCertificate,
  signal: AbortSignal,
  upgrade?: ServerRequest['upgrade'],
  limits?: ServerRequest['limits'],
): ServerRequest {
  const url = originForm(incoming);
  const { path, query } = splitTarget(url);
  const headers = incoming.headers as Record<string, string | undefined>;
  let body: Promise<RequestBody> | RequestBody | undefined;
  return {
    method: incoming.method ?? 'GET',
    path,
    query,
    url,
    connection: incoming,
    headers,
    credentials: {
      path,
      headers: incoming.headers as Credentials['headers'],
      rawHeaders: incoming.rawHeaders,
      ...certificate,
    },
    body: () => (body ??= readBody(incoming, headers['content-length'], signal)),
    stream: incoming,
    upgrade,
    limits,
    signal,
  };
}

/** What a request is about: both are still percent-encoded. */
export function splitTarget(target: string): Pick<ServerRequest, 'path' | 'query'> {
  const question = target.indexOf('?');
  if (question < 0) return { path: target, query: noQuery };
  return { path: target.slice(0, question), query: new URLSearchParams(target.slice(question + 1)) };
}

/** A whole URL is about its path alone: whoever is asked is the one (RFC 9112, 3.2.2). CONNECT names a host, and no path. */
function originForm({ method, url: target = '' }: Incoming): string {
  if (target.startsWith('/')) return target;
  if (method === 'CONNECT') return '';
  const rest = target.replace(/^https?:\/\/[^/?]*/i, '');
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest;
}

function readBody(
  incoming: Incoming,
  contentLength: string | undefined,
  { aborted }: AbortSignal,
): Promise<RequestBody> | RequestBody {
  if (incoming.method === 'GET' || contentLength === '0') return empty;
  // It would tell nobody any more that it is over, or that what there is of it were all.
  if (aborted) throw StatusError.badRequest('the client went away');
  if (contentLength !== undefined && Number(contentLength) > bodyBytesMax) throw tooLarge();
  return new Promise((resolve, reject) => {
    const pieces = new JoinedPieces();
    incoming.on('data', (piece: Buffer) => {
      if (pieces.length + piece.length > bodyBytesMax) {
        incoming.pause();
        reject(tooLarge());
      } else pieces.add(piece);
    });
    incoming.on('end', () => resolve({ bytes: pieces.take() }));
    incoming.on('error', () => reject(StatusError.badRequest('the request body ended before it was complete')));
    incoming.on('aborted', () => reject(StatusError.badRequest('the client went away')));
  });
}

function tooLarge(): StatusError {
  return StatusError.tooLarge(`limit is ${bodyBytesMax}`);
}
