import { readFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { ServerContext } from '../context.ts';

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

  /** Call it before the server listens. */
  follow(web: HttpServer | Http2SecureServer, { limits }: ServerContext): void {
    const max = connectionsMax();
    if (max !== undefined) web.maxConnections = max;
    web.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    web.on('session', (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.setTimeout(limits.idleTimeoutMs, () => session.close());
      session.on('close', () => this.#sessions.delete(session));
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

  /** Those on HTTP/2 end with their last request. */
  closeSessions(): void {
    for (const session of this.#sessions) session.close();
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
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
