import { PassThrough, Writable } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { TerminalSize } from '../containers/exec.ts';
import { type CommandRequest, parseTerminalSize, type RemoteClient } from './requests.ts';

/** Channels by the first byte of a message (KEP-4006). */
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
export const commandProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
/** Bytes of standard input that wait for the process before the client is held back. */
const stdinBytesMax = 256 * 1024;

/** A command's client on a WebSocket that speaks v5 or v4.channel.k8s.io; v5 can end standard input. */
export function websocketClient(socket: WebSocket, request: CommandRequest): RemoteClient {
  const stdin = request.stdin ? new PassThrough({ highWaterMark: stdinBytesMax }) : undefined;
  const gone = new AbortController();
  let listener: (size: TerminalSize) => void = () => {};
  let size: TerminalSize | undefined;
  socket.on('close', () => {
    stdin?.end();
    gone.abort();
  });
  socket.on('error', () => gone.abort());
  socket.on('message', (raw: RawData) => {
    const message = raw as Buffer;
    const [channel, payload] = [message[0], message.subarray(1)];
    if (channel === channels.stdin && stdin && !stdin.writableEnded) {
      if (!stdin.write(payload)) holdBack(socket, stdin);
    } else if (channel === channels.close && payload[0] === channels.stdin) stdin?.end();
    else if (channel === channels.resize) {
      size = parseTerminalSize(payload.toString()) ?? size;
      if (size) listener(size);
    }
  });
  const ready = clientReads(socket);
  // What is for a client that has gone is dropped, also when it goes in the middle of it: `gone` ends the command.
  const write = (channel: number, data: Buffer, done: () => void) => {
    void ready.then(() => {
      if (socket.readyState !== socket.OPEN) return done();
      socket.send(Buffer.concat([Buffer.from([channel]), data]), () => done());
    });
  };
  const output = (channel: number) =>
    new Writable({ write: (chunk: Buffer, _encoding, done) => write(channel, chunk, done) });
  const stdout = request.stdout ? output(channels.stdout) : undefined;
  const stderr = request.stderr && !request.tty ? output(channels.stderr) : undefined;
  return {
    streams: {
      stdin,
      stdout,
      stderr,
      onResize: (next) => {
        listener = next;
        if (size) next(size);
      },
    },
    signal: gone.signal,
    async finish(status) {
      // The status is the last word: what the process said before may still wait for the client.
      await Promise.all([ended(stdout), ended(stderr)]);
      await new Promise<void>((sent) => write(channels.error, Buffer.from(JSON.stringify(status)), sent));
      socket.close(1000);
    },
  };
}

/** Ends a stream, and resolves when all of it was handed on. */
function ended(stream: Writable | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (!stream || stream.writableFinished || stream.destroyed) return resolve();
    stream.once('close', resolve);
    if (!stream.writableEnded) stream.end();
  });
}

/** Longer is not waited for a client that does not answer. */
const pongMsMax = 1000;
/** Between reading and having made its streams, kubectl does next to nothing. */
const streamsMs = 5;

/**
 * Resolves once the client reads: kubectl before 1.33 throws away what comes before it has made its streams, and a short
 * command is faster than a busy machine starts those. Only a client that reads answers a ping.
 */
function clientReads(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, pongMsMax);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.once('pong', () => {
      clearTimeout(timer);
      setTimeout(resolve, streamsMs);
    });
    socket.ping();
  });
}

function holdBack(socket: WebSocket, stdin: PassThrough): void {
  socket.pause();
  stdin.once('drain', () => socket.resume());
}
