import type { IncomingMessage, ServerResponse as HttpResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { ServerContext } from '../context.ts';
import { handle } from '../lifecycle.ts';
import type { RequestBody, RequestTerms, ServerRequest, ServerResponse } from '../request.ts';
import type { Credentials } from '../seams.ts';
import { shuttingDown } from '../shutdown.ts';
import { commonHeaders, timeoutAnswer, waitingBytesMax } from './exchange.ts';
import type { InFlightRequest } from './in-flight.ts';
import { splitTarget, type ClientCertificate } from './request.ts';
import {
  addHeaders,
  isWhole,
  wholeAnswer,
  writeResponse,
  writeWhole,
  type Headers,
  type WholeAnswer,
} from './response.ts';
import type { SimpleHead } from './simple-head.ts';

const { ServerResponse: NodeResponse, STATUS_CODES } = process.getBuiltinModule('node:http');

/** What the exchanges of a connection share. */
export interface LaneConnection {
  readonly socket: TLSSocket;
  readonly server: ServerContext;
  readonly certificate: ClientCertificate;
}

/** Longer answers are not copied together with their heads. */
const smallBytesMax = 16 * 1024;

/**
 * A request that came in one piece, and its answer: written in one piece where it is small, else by Node. As with `Exchange`
 * it is over when its client has taken the answer.
 */
export class LaneExchange implements ServerRequest, RequestTerms, InFlightRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly credentials: Credentials;
  readonly connection: LaneConnection;
  atMs = 0;
  cancel: (() => void) | undefined;
  previous: InFlightRequest | undefined;
  next: InFlightRequest | undefined;
  readonly #body: RequestBody;
  /** The connection is free for the next request. */
  readonly #onFree: () => void;
  #gone: AbortController | undefined;
  #isGivenUp = false;
  /** All of the answer is handed over, and not by Node. */
  #isWritten = false;
  #isFree = false;
  #isLimited = false;
  #outgoing: HttpResponse | undefined;
  #onSent: ServerResponse['onSent'];

  constructor(connection: LaneConnection, head: SimpleHead, body: Buffer, onFree: () => void) {
    const { method, target, headers, rawHeaders } = head;
    const { path, query } = splitTarget(target);
    this.connection = connection;
    this.method = method;
    this.url = target;
    this.path = path;
    this.query = query;
    this.headers = headers;
    this.credentials = { path, headers, rawHeaders, ...connection.certificate };
    this.#body = { bytes: body };
    this.#onFree = onFree;
  }

  get signal(): AbortSignal {
    if (!this.#gone) {
      this.#gone = new AbortController();
      if (this.#isGivenUp) this.#gone.abort();
    }
    return this.#gone.signal;
  }

  get limits(): RequestTerms {
    return this;
  }

  body(): RequestBody {
    return this.#body;
  }

  limit(timeoutMs: number): void {
    this.#isLimited = true;
    this.connection.server.inFlight.begin(this, timeoutMs);
  }

  /** On HTTP/1.1 strangers may keep their connection. */
  distrust(): void {}

  /** Never throws. */
  async answer(): Promise<void> {
    const { server, socket } = this.connection;
    try {
      const isRefused = server.shutdown.refuses(this);
      if (isRefused) this.hold();
      const response = isRefused ? shuttingDown : await handle(this, server);
      this.#onSent = response.onSent;
      try {
        if (!this.#isGivenUp) await this.#write(response);
      } finally {
        response.onEnd?.();
      }
    } catch (error) {
      server.log.error('a request could not be answered', { url: this.url, stack: String((error as Error).stack) });
      socket.destroy();
    }
    this.#awaitReader();
  }

  /** The client is told, or cut off where its answer has begun; the connection goes on. */
  expire(): void {
    const { server, socket } = this.connection;
    const headers = commonHeaders(this, server);
    if (this.#isWritten || this.#outgoing?.headersSent) socket.destroy();
    else if (this.#outgoing) void writeWhole(timeoutAnswer, { request: this, outgoing: this.#outgoing, headers });
    else if (!this.#isGivenUp && this.#writeSmall(timeoutAnswer, headers)) this.#free();
    this.giveUp();
  }

  /** It is the last on its connection; Node, which ends those that it thinks idle, learns that this one is not. */
  hold(): void {
    if (!this.#outgoing && !this.#isWritten && !this.#isGivenUp) this.#nodeResponse().shouldKeepAlive = false;
  }

  /** Nobody waits for the answer any more: the connection is closed, or it was said that it took too long. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#gone?.abort();
  }

  #write(response: ServerResponse): Promise<void> | undefined {
    const { server } = this.connection;
    const { content } = response;
    const headers = commonHeaders(this, server);
    if (!isWhole(content)) return writeResponse(response, this, this.#nodeResponse(), server, headers);
    const whole = wholeAnswer(response, content, this, server);
    addHeaders(headers, response);
    if (!this.#outgoing && this.#writeSmall(whole, headers)) return undefined;
    return writeWhole(whole, { request: this, outgoing: this.#nodeResponse(), headers });
  }

  /** False where it is not small, or its head is not for us to write: nothing is written then. */
  #writeSmall({ code, contentType, body }: WholeAnswer, headers: Headers): boolean {
    if (body.length > smallBytesMax || !(code in STATUS_CODES)) return false;
    if (code < 200 || code === 204 || code === 304) return false;
    headers['content-type'] ??= contentType;
    const head = headText(code, headers, body.length, this.connection.server.clock.now());
    if (head === undefined) return false;
    const bytes = Buffer.allocUnsafe(head.length + body.length);
    bytes.write(head, 'latin1');
    body.copy(bytes, head.length);
    const { socket } = this.connection;
    // Written after its end, it would take the answers with it that still wait there.
    if (socket.writable) socket.write(bytes);
    this.#isWritten = true;
    return true;
  }

  /** An answer of Node's on this connection. */
  #nodeResponse(): HttpResponse {
    if (this.#outgoing) return this.#outgoing;
    const { method, headers } = this;
    const { socket } = this.connection;
    const outgoing = new NodeResponse({ method, headers, httpVersionMajor: 1, httpVersionMinor: 1 } as IncomingMessage);
    outgoing.assignSocket(socket);
    outgoing.on('error', () => this.giveUp());
    outgoing.once('finish', () => {
      outgoing.detachSocket(socket);
      if (!outgoing.shouldKeepAlive) socket.destroySoon();
      this.#free();
    });
    this.#outgoing = outgoing;
    return outgoing;
  }

  /** Who does not read holds a seat. */
  #awaitReader(): void {
    const { socket } = this.connection;
    const sent = this.#outgoing ?? socket;
    const isSent = this.#outgoing ? this.#outgoing.writableFinished : socket.writableLength <= waitingBytesMax;
    if (isSent || socket.destroyed) return this.#over();
    const over = () => {
      socket.off('close', over);
      sent.off(sent === socket ? 'drain' : 'finish', over);
      this.#over();
    };
    socket.once('close', over);
    sent.once(sent === socket ? 'drain' : 'finish', over);
  }

  #over(): void {
    this.#onSent?.release();
    if (this.#isLimited) this.connection.server.inFlight.end(this);
    this.#free();
  }

  #free(): void {
    if (this.#isFree) return;
    this.#isFree = true;
    this.#onFree();
  }
}

/** What must not stand in a header, but Node says so. */
const invalid = /[^\t\x20-\x7e\x80-\xff]/;

function headText(code: number, headers: Headers, length: number, nowMs: number): string | undefined {
  let text = `HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\n`;
  for (const name in headers) {
    const values = headers[name]!;
    for (const value of typeof values === 'string' ? [values] : values) {
      if (invalid.test(value)) return undefined;
      text += `${name}: ${value}\r\n`;
    }
  }
  return `${text}date: ${dateText(nowMs)}\r\ncontent-length: ${length}\r\n\r\n`;
}

let dateSecond = 0;
let date = '';

/** As it stands in every answer of a second. */
function dateText(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = new Date(nowMs).toUTCString();
  }
  return date;
}
