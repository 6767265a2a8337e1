import { StatusError, type StatusReason } from '@kubernode/api';
import type { Status } from '@kubernode/api/meta/v1';

/** Reasons for answers that carry no Status, as of a proxy in between (client-go: NewGenericServerResponse). */
const reasons: Readonly<Record<number, Exclude<StatusReason, ''>>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};
const textMax = 2_048;

/** The StatusError that an answer means: the Status in its body, or one made of its code and text. */
export function statusErrorFromHttp(code: number, body: string, retryAfter: unknown): StatusError {
  const status = statusOf(body);
  if (status) return new StatusError(status);
  const message = body.trim().slice(0, textMax) || `the server answered with status ${code}`;
  const details = Number(retryAfter) ? { retryAfterSeconds: Number(retryAfter) } : undefined;
  return StatusError.of(reasons[code] ?? 'InternalError', message, details, code);
}

function statusOf(body: string): Status | undefined {
  try {
    const value = JSON.parse(body) as Status | null;
    return value?.kind === 'Status' ? value : undefined;
  } catch {
    return undefined;
  }
}
