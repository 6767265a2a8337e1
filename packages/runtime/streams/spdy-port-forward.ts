import { pipeline } from 'node:stream/promises';
import type { PortForwardRequest } from './requests.ts';
import type { SpdyStream } from './spdy-connection.ts';

export const portForwardProtocol = 'portforward.k8s.io';

/** Pairs of streams, `data` and `error`, one pair a connection, matched by `requestid`. */
export class SpdyPortForward {
  readonly #request: PortForwardRequest;
  readonly #halves = new Map<string, SpdyStream>();

  constructor(request: PortForwardRequest) {
    this.#request = request;
  }

  add(stream: SpdyStream): void {
    const { streamtype = '', port = '', requestid = port } = stream.headers;
    const number = Number(port);
    if ((streamtype !== 'data' && streamtype !== 'error') || !(number > 0 && number < 65_536))
      return void stream.destroy();
    const other = this.#halves.get(requestid);
    if (!other) {
      this.#halves.set(requestid, stream);
      stream.once('close', () => this.#halves.delete(requestid));
      return;
    }
    this.#halves.delete(requestid);
    const [data, error] = streamtype === 'data' ? [stream, other] : [other, stream];
    void forward(this.#request, number, data, error);
  }
}

async function forward(request: PortForwardRequest, port: number, data: SpdyStream, error: SpdyStream): Promise<void> {
  try {
    const connection = await request.connect(port);
    await Promise.all([pipeline(data, connection, { end: true }), pipeline(connection, data)]).catch(
      (failure: Error) => {
        connection.destroy();
        // The client's going away is its own business.
        if (!data.destroyed) throw failure;
      },
    );
    error.end();
  } catch (failure) {
    error.end(`error forwarding port ${port} to pod: ${(failure as Error).message}`);
    data.end();
  }
}
