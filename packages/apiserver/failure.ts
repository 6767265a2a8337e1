import { StatusError } from '@kubernode/api';
import { sanitized } from './authorization/forbidden.ts';
import type { ServerContext } from './context.ts';
import { isPretty, offers, plainJson, type OutputFormat } from './encode/negotiate.ts';
import type { ServerRequest, ServerResponse } from './request.ts';
import { NoSuchPage } from './route.ts';

/** What authorization or impersonation refused, as opposed to admission. */
export class Refused extends StatusError {}

/** An authorizer failed, and none of the others knew: answered as plain text, as upstream does. */
export class Undecided extends Error {}

/** Flow control has no seat. */
export class TooManyRequests extends StatusError {
  constructor(retryAfterSeconds: number) {
    const text = 'Too many requests, please try again later.';
    super(StatusError.of('TooManyRequests', text, { retryAfterSeconds }).status);
  }
}

/** An error that no rule made. */
export const unforeseen = (error: unknown): Error | undefined =>
  error instanceof Error && !(error instanceof StatusError) && !(error instanceof Undecided) ? error : undefined;

/** Plain text, as Go's http.Error answers: what refuses before content is negotiated. */
export function plainFailure(
  code: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): ServerResponse {
  return {
    code,
    headers: { 'x-content-type-options': 'nosniff', ...headers },
    content: { type: 'bytes', contentType: 'text/plain; charset=utf-8', bytes: `${text}\n` },
  };
}

/** Paths that are not of the API are answered as any web server answers them. */
export const notFoundPage: ServerResponse = plainFailure(404, '404 page not found');

/** A list of some hundred thousand items, or values deep within each other, can be more than a call takes. */
const isOverflow = (error: unknown) => error instanceof RangeError && /call stack/.test(error.message);
const tooMuch = () => StatusError.tooLarge('it has more parts than the server can look at');

/** What went wrong, as a Status; an error that nobody foresaw is logged with its stack, which stays here. */
export function failure(error: unknown, request: ServerRequest, server: ServerContext): ServerResponse {
  if (error instanceof NoSuchPage && !request.user) return notFoundPage;
  if (error instanceof Undecided) {
    const uri = JSON.stringify(request.query.size > 0 ? `${request.path}?${request.query.toString()}` : request.path);
    return plainFailure(500, sanitized(`Internal Server Error: ${uri}: ${error.message}`));
  }
  const known = StatusError.from(isOverflow(error) ? tooMuch() : error);
  const retryAfter = known.status.details?.retryAfterSeconds;
  if (error instanceof TooManyRequests && !request.user) {
    return plainFailure(429, error.status.message ?? '', { 'retry-after': String(retryAfter ?? 1) });
  }
  if (!(error instanceof StatusError)) {
    const { method, path } = request;
    const stack = (error as Error)?.stack ?? String(error);
    server.log.error('a request failed unexpectedly', { method, path, stack });
  }
  const headers: Record<string, string> = retryAfter ? { 'retry-after': String(retryAfter) } : {};
  // A refusal quotes what the client sent, and must not be taken for a page.
  if (error instanceof Refused) headers['x-content-type-options'] = 'nosniff';
  const format = formatOfFailure(request, server.servesCbor);
  return { code: known.code, headers, content: { type: 'value', value: known.status, format } };
}

const statuses = offers({ transforms: true });

/** A Status comes in the format that was asked for, where it is one that exists. */
function formatOfFailure(request: ServerRequest, cbor: boolean): OutputFormat {
  try {
    const { encoding } = statuses(cbor).negotiate(request.headers['accept']);
    return { encoding, pretty: isPretty(request.query, request.headers['user-agent']) };
  } catch {
    return plainJson;
  }
}
