/** What the kill test asks of a server, over HTTP/1.1 or HTTP/2; a connection that is lost is an answer like others. */
import { connect, type ClientHttp2Session } from 'node:http2';
import { Agent, request } from 'node:https';
import type { Readable } from 'node:stream';

/** The connection ended before the answer was whole: whether the request was carried out is not known. */
export class Lost extends Error {}

export interface Answer {
  readonly code: number;
  readonly text: string;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
}

export interface Api {
  /** Throws Lost. */
  send(sent: Sent): Promise<Answer>;
  /** Calls back with what comes until the stream ends. Answers the code; throws Lost. */
  stream(sent: Sent, onBytes: (bytes: Buffer) => void, signal: AbortSignal): Promise<number>;
  close(): void;
}

export interface Place {
  readonly port: number;
  readonly token: string;
}

const headersOf = ({ contentType, accept, body }: Sent, token: string) => ({
  authorization: `Bearer ${token}`,
  accept: accept ?? 'application/json',
  ...(body ? { 'content-type': contentType ?? 'application/json' } : {}),
});

/** One connection, kept. */
export function http1({ port, token }: Place): Api {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const stream: Api['stream'] = (sent, onBytes, signal) =>
    new Promise((resolve, reject) => {
      const { method, path } = sent;
      const body = sent.body && JSON.stringify(sent.body);
      // Of a DELETE, Node does not say by itself how long its body is.
      const length = body && { 'content-length': Buffer.byteLength(body) };
      const headers = { ...headersOf(sent, token), ...length };
      const to = { host: '127.0.0.1', port, agent, method, path, headers, signal, timeout: answerMsMax };
      const outgoing = request(to, (answer) => {
        answer.on('data', onBytes);
        answer.on('error', (error) => reject(new Lost(String(error))));
        answer.on('close', () => {
          if (answer.complete) resolve(answer.statusCode ?? 0);
          else reject(new Lost('the answer was cut off'));
        });
      });
      outgoing.on('error', (error) => reject(new Lost(String(error))));
      outgoing.end(body);
    });
  return { stream, send: (sent) => collect(stream, sent), close: () => agent.destroy() };
}

/** One connection, made anew when it is lost. */
export function http2({ port, token }: Place): Api {
  let session: ClientHttp2Session | undefined;
  const connected = () => {
    if (!session || session.closed || session.destroyed) {
      session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
      session.on('error', () => {});
    }
    return session;
  };
  const stream: Api['stream'] = (sent, onBytes, signal) =>
    new Promise((resolve, reject) => {
      const headers = { ':method': sent.method, ':path': sent.path, ...headersOf(sent, token) };
      let code = 0;
      let isWhole = false;
      const open = connected().request(headers, { signal });
      open.on('response', (answer) => (code = answer[':status'] ?? 0));
      open.on('data', onBytes);
      open.on('end', () => (isWhole = true));
      open.on('error', (error) => reject(new Lost(String(error))));
      open.on('close', () => {
        if (isWhole && code > 0 && open.rstCode === 0) resolve(code);
        else reject(new Lost('the stream was cut off'));
      });
      (open as unknown as Readable & { end(text?: string): void }).end(sent.body && JSON.stringify(sent.body));
    });
  return { stream, send: (sent) => collect(stream, sent), close: () => session?.destroy() };
}

/** A server that is there answers sooner. */
const answerMsMax = 60_000;

async function collect(stream: Api['stream'], sent: Sent): Promise<Answer> {
  const parts: Buffer[] = [];
  const code = await stream(sent, (bytes) => parts.push(bytes), AbortSignal.timeout(answerMsMax));
  const text = Buffer.concat(parts).toString();
  // On HTTP/2 a connection that ends looks like the end of its streams.
  if (text.startsWith('{') && !text.trimEnd().endsWith('}')) throw new Lost('half of an answer came');
  return { code, text };
}
