import type { ServerResponse as ServerResponseOverHttp1 } from 'node:http';
import type { ServerContext } from '../context.ts';
import type { InFlightRequest } from './in-flight.ts';
import type { Incoming, Outgoing } from './response.ts';

/** One request and its answer on a connection: what ends it early, and what its end is told to. */
export class Exchange implements InFlightRequest {
  atMs = 0;
  cancel: (() => void) | undefined;
  previous: InFlightRequest | undefined;
  next: InFlightRequest | undefined;
  readonly #gone = new AbortController();
  readonly #server: ServerContext;
  readonly #incoming: Incoming;
  readonly #outgoing: Outgoing;
  #isLimited = false;

  constructor(server: ServerContext, incoming: Incoming, outgoing: Outgoing) {
    this.#server = server;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    outgoing.on('close', () => {
      // On HTTP/2 a stream that its client reset counts as finished, though nobody ended it here.
      if (!outgoing.writableEnded) this.#gone.abort();
    });
    outgoing.on('error', () => this.#gone.abort());
  }

  /** Aborts when the client is gone, or the time is up. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Asked for once, of what is no stream. */
  limit(timeoutMs: number): void {
    this.#isLimited = true;
    this.#server.inFlight.begin(this, timeoutMs);
  }

  /** The client is told, or cut off where its answer has begun; a body that trickles in is not read on. */
  expire(): void {
    timeOut(this.#incoming, this.#outgoing, this.#server);
    this.#gone.abort();
  }

  end(): void {
    if (this.#isLimited) this.#server.inFlight.end(this);
  }
}

function timeOut(incoming: Incoming, outgoing: Outgoing, server: ServerContext): void {
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  const body = `${JSON.stringify(timeoutStatus)}\n`;
  const isUnread = incoming.httpVersionMajor === 1 && !incoming.complete;
  const headers = {
    ...commonHeaders(incoming, server),
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(body.length),
    ...(isUnread ? { connection: 'close' } : {}),
  };
  (outgoing as ServerResponseOverHttp1).writeHead(504, headers as never);
  (outgoing as ServerResponseOverHttp1).end(body, () => {
    if (isUnread) incoming.destroy();
  });
}

/** In the order in which upstream's filter writes it. */
const timeoutStatus = {
  metadata: {},
  status: 'Failure',
  message: 'Timeout: request did not complete within the allotted timeout',
  reason: 'Timeout',
  details: {},
  code: 504,
};

/** Of every answer. */
export function commonHeaders(incoming: Incoming, server: ServerContext): Record<string, string | readonly string[]> {
  const auditId = incoming.headers['audit-id'];
  return {
    'audit-id': typeof auditId === 'string' && auditId ? auditId : server.newUid(),
    'cache-control': 'no-cache, private',
  };
}
