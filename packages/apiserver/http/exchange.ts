import type { ServerResponse as ServerResponseOverHttp1 } from 'node:http';
import type { ServerContext } from '../context.ts';
import type { RequestTerms, ServerResponse } from '../request.ts';
import type { InFlightRequest } from './in-flight.ts';
import { cutUnlessTaken } from './patience.ts';
import { endWith } from './pipeline.ts';
import type { Headers, Incoming, Outgoing, WholeAnswer } from './response.ts';

/** Less than that waits in the buffers of a connection at no great cost. */
export const waitingBytesMax = 64 * 1024;

/**
 * One request and its answer on a connection: what ends it early, and what its end is told to. It is over when its client
 * has taken the answer, not when that is written: who does not read holds a seat, and its time is up some day.
 */
export class Exchange implements InFlightRequest, RequestTerms {
  atMs = 0;
  cancel: (() => void) | undefined;
  previous: InFlightRequest | undefined;
  next: InFlightRequest | undefined;
  readonly #gone = new AbortController();
  readonly #server: ServerContext;
  readonly #incoming: Incoming;
  readonly #outgoing: Outgoing;
  #isLimited = false;
  #onSent: ServerResponse['onSent'];

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

  /** Nobody unknown keeps a connection of HTTP/2, whose streams cost more than they do (CVE-2023-44487). */
  distrust(): void {
    if ('stream' in this.#incoming && this.#server.isEnabled('UnauthenticatedHTTP2DOSMitigation')) this.beLast();
  }

  /** Its connection takes no other request. */
  beLast(): void {
    const incoming = this.#incoming;
    if ('stream' in incoming) incoming.stream.session?.close();
    else endWith(this.#outgoing as ServerResponseOverHttp1);
  }

  /** A watch that has ended is cut where its client does not take what it was told. */
  follow(response: ServerResponse): void {
    cutUnlessTaken(response, this.#outgoing, this.#server);
  }

  /** The client is told, or cut off where its answer has begun; a body that trickles in is not read on. */
  expire(): void {
    timeOut(this.#incoming, this.#outgoing, this.#server);
    this.#gone.abort();
  }

  /** The answer is written. */
  end(onSent: ServerResponse['onSent']): void {
    const outgoing = this.#outgoing;
    this.#onSent = onSent;
    this.#leaveBody();
    if (outgoing.destroyed || outgoing.writableFinished || outgoing.writableLength <= waitingBytesMax) {
      this.#over();
      return;
    }
    outgoing.once('finish', this.#over);
    outgoing.once('close', this.#over);
  }

  readonly #over = (): void => {
    this.#onSent?.release();
    this.#onSent = undefined;
    if (!this.#isLimited) return;
    this.#isLimited = false;
    this.#server.inFlight.end(this);
  };

  /** What is answered already need not be sent to its end, but may be, for a while: Go's servers do not wait either. */
  #leaveBody(): void {
    const incoming = this.#incoming;
    if ('stream' in incoming) {
      const { stream } = incoming;
      if (stream.destroyed || stream.endAfterHeaders || incoming.readableEnded) return;
      // A reset at once would overtake the end of the answer: Go's clients would take that for a failure.
      incoming.resume();
      stream.once(
        'close',
        this.#server.clock.after(this.#server.limits.lingerMs, () => stream.close()),
      );
    } else if (!incoming.complete && !incoming.destroyed) {
      const { socket } = incoming;
      const cancel = this.#server.clock.after(this.#server.limits.lingerMs, () => {
        if (!incoming.complete) socket.destroy();
      });
      incoming.once('close', cancel);
    }
  }
}

function timeOut(incoming: Incoming, outgoing: Outgoing, server: ServerContext): void {
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  const isUnread = incoming.httpVersionMajor === 1 && !incoming.complete;
  const { code, contentType, body } = timeoutAnswer;
  const headers = {
    ...commonHeaders(incoming, server),
    'content-type': contentType,
    'content-length': String(body.length),
    ...(isUnread ? { connection: 'close' } : {}),
  };
  (outgoing as ServerResponseOverHttp1).writeHead(code, headers as never);
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

export const timeoutAnswer: WholeAnswer = {
  code: 504,
  contentType: 'text/plain; charset=utf-8',
  body: Buffer.from(`${JSON.stringify(timeoutStatus)}\n`),
};

/** Of every answer. */
export function commonHeaders({ headers }: Pick<Incoming, 'headers'>, server: ServerContext): Headers {
  const auditId = headers['audit-id'];
  return {
    'audit-id': typeof auditId === 'string' && auditId ? auditId : server.newUid(),
    'cache-control': 'no-cache, private',
  };
}
