import type { TerminalSize } from '../containers/exec.ts';
import type { SpdyStream } from './spdy-connection.ts';
import { type CommandRequest, parseTerminalSize, type RemoteClient } from './requests.ts';

/** Only from v4 on can the error stream carry an exit code; v5 adds nothing to SPDY. */
export const spdyCommandProtocols = ['v4.channel.k8s.io'];

/**
 * Gathers the streams that a client opens for a command, by their `streamtype`; answers the client's end once all are
 * there.
 */
export class SpdyCommand {
  readonly #request: CommandRequest;
  readonly #expected: readonly string[];
  readonly #streams = new Map<string, SpdyStream>();
  readonly #onReady: (client: RemoteClient) => void;
  readonly #close: () => void;
  readonly #gone: AbortController;

  constructor(options: {
    readonly request: CommandRequest;
    readonly gone: AbortController;
    readonly onReady: (client: RemoteClient) => void;
    readonly close: () => void;
  }) {
    const { request } = options;
    this.#request = request;
    this.#gone = options.gone;
    this.#onReady = options.onReady;
    this.#close = options.close;
    this.#expected = [
      'error',
      ...(request.stdin ? ['stdin'] : []),
      ...(request.stdout ? ['stdout'] : []),
      ...(request.stderr && !request.tty ? ['stderr'] : []),
      ...(request.tty ? ['resize'] : []),
    ];
  }

  add(stream: SpdyStream): void {
    const type = stream.headers['streamtype'] ?? '';
    if (!this.#expected.includes(type) || this.#streams.has(type)) return void stream.destroy();
    this.#streams.set(type, stream);
    if (this.#streams.size === this.#expected.length) this.#onReady(this.#client());
  }

  #client(): RemoteClient {
    const { request } = this;
    const stream = (type: string) => this.#streams.get(type);
    return {
      streams: {
        stdin: request.stdin ? stream('stdin') : undefined,
        stdout: request.stdout ? stream('stdout') : undefined,
        stderr: stream('stderr'),
        onResize: (listener) => readSizes(stream('resize'), listener),
      },
      signal: this.#gone.signal,
      finish: async (status) => {
        const ends = [stream('stdout'), stream('stderr')].map((output) => end(output));
        await Promise.all(ends);
        await end(stream('error'), Buffer.from(JSON.stringify(status)));
        this.#close();
      },
    };
  }

  get request(): CommandRequest {
    return this.#request;
  }
}

function end(stream: SpdyStream | undefined, content?: Buffer): Promise<void> {
  if (!stream || stream.destroyed || stream.writableEnded) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('close', resolve);
    stream.end(content ?? Buffer.alloc(0), () => resolve());
  });
}

/** Sizes follow each other as JSON documents, mostly one a line. */
function readSizes(stream: SpdyStream | undefined, listener: (size: TerminalSize) => void): void {
  let text = '';
  stream?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    for (let close = text.indexOf('}'); close >= 0; close = text.indexOf('}')) {
      const size = parseTerminalSize(text.slice(0, close + 1));
      text = text.slice(close + 1);
      if (size) listener(size);
    }
  });
}
