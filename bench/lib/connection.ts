/**
 * One kept connection of HTTP/1.1 over TLS that costs its own side little, so that the server is what is measured: what
 * comes is decrypted into memory that all connections share, and of an answer only its code and its end are read.
 */
import { connect, type TLSSocket } from 'node:tls';
import { AnswerReader } from './answer-reader.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
  /** ASCII. */
  readonly body?: string;
  readonly contentType?: string;
}

export interface Answer {
  readonly code: number;
  readonly bytes: number;
  /** Only where asked for. */
  readonly text: string;
}

/** A record of TLS holds at most 16 KB. What came is read before anything else comes. */
const received = Buffer.allocUnsafeSlow(16_384);

/**
 * A socket whose bytes come in `received`; `read` is told how far. Node's streams, which this goes around, take a quarter of
 * what a short answer costs the client and more than half of what a long one costs it.
 */
export function connectTo(
  url: string,
  read: (received: Buffer, end: number) => void,
  ALPNProtocols = ['http/1.1'],
): TLSSocket {
  const { hostname, port } = new URL(url);
  const callback = (end: number) => {
    read(received, end);
    return true;
  };
  const options = {
    host: hostname,
    port: Number(port),
    rejectUnauthorized: false,
    ALPNProtocols,
    onread: { buffer: received, callback },
  };
  const socket = connect(options);
  socket.setNoDelay(true);
  return socket;
}

export class Connection {
  readonly #socket: TLSSocket;
  readonly #head: string;
  readonly #reader = new AnswerReader();
  #answered: (code: number) => void = () => {};
  #failed: (error: Error) => void = () => {};

  constructor({ url, token }: { url: string; token: string }) {
    this.#head = `host: ${new URL(url).host}\r\nauthorization: Bearer ${token}\r\naccept: application/json\r\n`;
    this.#socket = connectTo(url, (bytes, end) => {
      if (this.#reader.read(bytes, end)) this.#answered(this.#reader.code);
    });
    this.#socket.on('error', (error) => this.#failed(error));
    this.#socket.on('close', () => this.#failed(new Error('the server closed the connection')));
  }

  /** What is called at the end of each answer, and when no more will come. */
  listen(answered: (code: number) => void, failed: (error: Error) => void): void {
    this.#answered = answered;
    this.#failed = failed;
  }

  /** Not before the one before it was answered. */
  write({ method, path, body, contentType = 'application/json' }: Request): void {
    const content = body ? `content-type: ${contentType}\r\ncontent-length: ${body.length}\r\n` : '';
    this.#socket.write(`${method} ${path} HTTP/1.1\r\n${this.#head}${content}\r\n${body ?? ''}`, 'latin1');
  }

  /** One at a time. Throws what the connection fails with. */
  send(request: Request, keepsText = false): Promise<Answer> {
    const kept: Buffer[] | undefined = keepsText ? [] : undefined;
    this.#reader.kept = kept;
    return new Promise((resolve, reject) => {
      this.listen((code) => {
        resolve({ code, bytes: this.#reader.bytes, text: kept ? Buffer.concat(kept).toString() : '' });
      }, reject);
      this.write(request);
    });
  }

  close(): void {
    this.#failed = () => {};
    this.#socket.destroy();
  }
}
