/**
 * One kept connection of HTTP/1.1 over TLS that costs its own side little, so that the server is what is measured: it
 * reads of an answer only its code and where it ends.
 */
import { connect, type TLSSocket } from 'node:tls';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
}

export interface Answer {
  readonly code: number;
  readonly bytes: number;
  /** Only where asked for. */
  readonly text: string;
}

const headEnd = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('0\r\n\r\n');

export class Connection {
  readonly #socket: TLSSocket;
  readonly #head: string;
  #resolve: ((answer: Answer) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  #kept: Buffer[] | undefined;
  /** What came of the head, as long as it is not whole. */
  #begun: Buffer | undefined;
  #code = 0;
  #bytes = 0;
  /** -1: the answer comes in chunks. */
  #missing = 0;

  constructor({ url, token }: { url: string; token: string }) {
    const { hostname, port, host } = new URL(url);
    this.#head = `host: ${host}\r\nauthorization: Bearer ${token}\r\naccept: application/json\r\n`;
    this.#socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (bytes: Buffer) => this.#read(bytes));
    this.#socket.on('error', (error) => this.#reject?.(error));
    this.#socket.on('close', () => this.#reject?.(new Error('the server closed the connection')));
  }

  /** One at a time. Throws what the connection fails with. */
  send({ method, path, body, contentType = 'application/json' }: Request, keepsText = false): Promise<Answer> {
    const content = body ? `content-type: ${contentType}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` : '';
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#kept = keepsText ? [] : undefined;
      this.#bytes = 0;
      this.#code = 0;
      this.#socket.write(`${method} ${path} HTTP/1.1\r\n${this.#head}${content}\r\n${body ?? ''}`);
    });
  }

  close(): void {
    this.#reject = undefined;
    this.#socket.destroy();
  }

  #read(received: Buffer): void {
    let bytes = received;
    if (this.#code === 0) {
      if (this.#begun) bytes = Buffer.concat([this.#begun, bytes]);
      const end = bytes.indexOf(headEnd);
      this.#begun = end < 0 ? bytes : undefined;
      if (end < 0) return;
      const head = bytes.toString('latin1', 0, end);
      this.#code = Number(head.slice(9, 12));
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
      this.#missing = length === undefined ? -1 : Number(length);
      bytes = bytes.subarray(end + headEnd.length);
    }
    this.#bytes += bytes.length;
    this.#kept?.push(bytes);
    const isWhole =
      this.#missing >= 0
        ? this.#bytes >= this.#missing
        : bytes.subarray(Math.max(0, bytes.length - lastChunk.length)).equals(lastChunk);
    if (isWhole) this.#resolve?.({ code: this.#code, bytes: this.#bytes, text: this.#text() });
  }

  #text(): string {
    return this.#kept ? Buffer.concat(this.#kept).toString() : '';
  }
}
