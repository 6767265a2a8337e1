import { readFileSync } from 'node:fs';
import type { Server as HttpServer, ServerResponse as HttpResponse } from 'node:http';
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock } from '@kubernode/machinery';
import type { ServerContext } from '../context.ts';
import { refuseUnencrypted } from './malformed.ts';
import { endWith } from './pipeline.ts';

/** A client that vanished without a word is noticed after so long, and a few seconds of probes. */
export const keepAliveProbeMs = 60_000;
/** Files and connections of ours, beside those of clients: the store's, webhooks', kubelets'. */
const ownFilesMin = 128;
const ownFilesShare = 1 / 8;
/** Of what goes wrong with one connection after the other, so much is logged. */
const complaintMs = 10_000;

/** The connections of a listener. */
export class Connections {
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  /** Of HTTP/1.1, those that are under way. */
  readonly #answers = new Set<HttpResponse>();
  #areEnding = false;

  /** Call it before the server listens. */
  follow(web: HttpServer | Http2SecureServer, server: ServerContext): void {
    const { limits, clock } = server;
    const max = connectionsMax();
    if (max !== undefined) web.maxConnections = max;
    web.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    web.on('tlsClientError', (error: Error & { readonly code?: string }, failed: Socket) => {
      if (error.code !== 'ERR_SSL_HTTP_REQUEST') return;
      for (const socket of this.#sockets) if (areSame(socket, failed)) refuseUnencrypted(socket, server);
    });
    web.on('session', (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      const cancel = closeIdle(session, limits.idleTimeoutMs, clock);
      session.on('close', () => {
        this.#sessions.delete(session);
        cancel();
      });
      session.on('error', () => session.destroy());
    });
  }

  /** Connections that were not accepted are their clients' trouble, not the server's end. */
  complain(web: HttpServer | Http2SecureServer, { log, clock }: ServerContext): void {
    let saidMs = -Infinity;
    const say = (error: string) => {
      if (clock.now() - saidMs < complaintMs) return;
      saidMs = clock.now();
      log.warn('a connection could not be accepted', { error, connections: this.#sockets.size });
    };
    web.on('error', (error: Error) => say(String(error)));
    web.on('drop', () => say(`more than ${web.maxConnections} connections`));
  }

  /** An answer of HTTP/1.1 is under way. */
  answering(answer: HttpResponse): void {
    this.#answers.add(answer);
    answer.once('close', () => this.#answers.delete(answer));
    if (this.#areEnding) endWith(answer);
  }

  /** Each ends with what is under way on it. */
  end(): void {
    this.#areEnding = true;
    for (const session of this.#sessions) session.close();
    for (const answer of this.#answers) endWith(answer);
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Its ends are the last that is known of a connection; ports alone are those of other clients, too. */
const areSame = (one: Socket, other: Socket): boolean =>
  one.remotePort !== undefined &&
  one.remotePort === other.remotePort &&
  one.remoteAddress === other.remoteAddress &&
  one.localAddress === other.localAddress;

/** A session without an open stream is closed after so long; a quiet stream is one. Answers the way to stop. */
function closeIdle(session: ServerHttp2Session, idleMs: number, clock: Clock): () => void {
  let open = 0;
  let idleSinceMs = clock.now();
  session.on('stream', (stream) => {
    open += 1;
    stream.once('close', () => {
      open -= 1;
      idleSinceMs = clock.now();
    });
  });
  let cancel: () => void;
  const look = () => {
    const leftMs = open > 0 ? idleMs : idleSinceMs + idleMs - clock.now();
    if (leftMs <= 0) session.close();
    else cancel = clock.after(leftMs, look);
  };
  look();
  return () => cancel();
}

/** Clients must not take the last file descriptor; undefined where the limit is not known. */
function connectionsMax(): number | undefined {
  let files: number;
  try {
    files = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
  return files > 0 ? Math.max(1, files - Math.max(ownFilesMin, Math.floor(files * ownFilesShare))) : undefined;
}
