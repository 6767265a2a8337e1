import { StatusError, type StatusReason } from '@kubernode/api';
import type { Status } from '@kubernode/api/meta/v1';

/** A call that did not get an answer, in the words of Go's HTTP client, which people search for. */
export class OutboundError extends Error {
  /** The call took longer than it was given. */
  readonly isTimeout: boolean;
  /** Nothing was sent: no connection came about. */
  readonly isDial: boolean;

  constructor(message: string, options: { isTimeout?: boolean; isDial?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'OutboundError';
    this.isTimeout = options.isTimeout ?? false;
    this.isDial = options.isDial ?? false;
  }
}

export const timedOut = 'context deadline exceeded';

/** `Post "https://a.b.svc:443/validate?timeout=10s": dial tcp 10.96.0.9:443: connect: connection refused` */
export function callFailed(method: string, url: string, error: unknown, address: string): OutboundError {
  const { code: coded, message } = error as NodeJS.ErrnoException;
  // A StatusError's code is a number.
  const code = typeof coded === 'string' ? coded : '';
  const verb = method[0] + method.slice(1).toLowerCase();
  const failed = (why: string, isDial = false) =>
    new OutboundError(`${verb} ${JSON.stringify(url)}: ${why}`, { cause: error, isDial });
  const dial = dialReasons[code];
  if (dial) return failed(`dial tcp ${dialed(error as DialError) ?? address}: ${dial}`, true);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const host = address.slice(0, address.lastIndexOf(':'));
    return failed(`dial tcp: lookup ${host}: no such host`, true);
  }
  if (code.startsWith('ERR_TLS') || tlsReasons[code]) return failed(tlsReason(code, error as TlsError), true);
  if (/wrong version number|packet length too long/i.test(message)) {
    return failed('http: server gave HTTP response to HTTPS client', true);
  }
  return failed(otherReasons[code] ?? message);
}

interface DialError {
  readonly address?: string;
  readonly port?: number;
  /** Where a name has several addresses. */
  readonly errors?: readonly DialError[];
}

/** Where a connection was tried, once the name was looked up. */
function dialed(error: DialError): string | undefined {
  const { address, port } = error.errors?.at(-1) ?? error;
  if (address === undefined || port === undefined) return undefined;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

interface TlsError extends NodeJS.ErrnoException {
  readonly cert?: { readonly subjectaltname?: string };
  readonly host?: string;
}

const unknownAuthority = 'x509: certificate signed by unknown authority';

/** What OpenSSL says, as Go's crypto/x509 says it. */
const tlsReasons: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  CERT_SIGNATURE_FAILURE: unknownAuthority,
  CERT_HAS_EXPIRED: 'x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'x509: certificate has expired or is not yet valid',
};

function tlsReason(code: string, { message, cert, host }: TlsError): string {
  const names = (cert?.subjectaltname ?? '').split(', ').filter(Boolean);
  const valid = names.map((name) => name.replace(/^(DNS|IP Address):/, ''));
  const why =
    code !== 'ERR_TLS_CERT_ALTNAME_INVALID'
      ? (tlsReasons[code] ?? message)
      : valid.length > 0
        ? `x509: certificate is valid for ${valid.join(', ')}, not ${host}`
        : 'x509: certificate relies on legacy Common Name field, use SANs instead';
  return `tls: failed to verify certificate: ${why}`;
}

const dialReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};
const otherReasons: Readonly<Record<string, string>> = {
  ECONNRESET: 'EOF',
  EPIPE: 'write: broken pipe',
};

const serverTextMax = 2_048;

/** What an answer that is not 2xx means (client-go: NewGenericServerResponse), with the server's own text where it says one. */
export function failedAnswer(code: number, headers: Readonly<Record<string, unknown>>, body: string): StatusError {
  const status = statusIn(body);
  if (status) return new StatusError(status);
  const type = headers['content-type'];
  const isText = type === undefined || (typeof type === 'string' && type.startsWith('text/'));
  const said = isText ? body.slice(0, serverTextMax).trim() : 'unknown';
  const [reason, message] = answers[code] ?? (code >= 500 ? onServer(said) : unknownAnswer(code));
  const retryAfterSeconds = Number(headers['retry-after']) || undefined;
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: message ?? said,
    reason,
    details: {
      causes: [{ reason: 'UnexpectedServerResponse', message: said }],
      ...(retryAfterSeconds && { retryAfterSeconds }),
    },
    code,
  });
}

/** A server that speaks Kubernetes' own language says itself what is wrong. */
function statusIn(body: string): Status | undefined {
  if (!body.startsWith('{')) return undefined;
  try {
    const value = JSON.parse(body) as Status | undefined;
    return value?.kind === 'Status' && value.apiVersion === 'v1' && value.status !== 'Success' ? value : undefined;
  } catch {
    return undefined;
  }
}

type Answer = readonly [StatusReason, string?];

/** Without a text: the server's own. */
const answers: Readonly<Record<number, Answer>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  403: ['Forbidden'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  406: ['NotAcceptable'],
  409: ['AlreadyExists', 'the server reported a conflict'],
  415: ['UnsupportedMediaType'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: [
    'Timeout',
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
};

const onServer = (said: string): Answer => [
  'InternalError',
  `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`,
];
const unknownAnswer = (code: number): Answer => [
  '',
  `the server responded with the status code ${code} but did not return more information`,
];
