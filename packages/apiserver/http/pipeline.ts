import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Who sends more requests ahead of their answers is cut: no client of ours sends any. */
const waitingMax = 100;

/** What a connection is answered with last. */
const latest = new WeakMap<Socket, ServerResponse>();
const queues = new WeakMap<Socket, Set<() => void>>();

/** Call it for each request. */
export function noteAnswer({ socket }: IncomingMessage, outgoing: ServerResponse): void {
  latest.set(socket, outgoing);
}

/** The latest request has come to its end: what is read now is the next. */
export const isLatestRead = (socket: Socket): boolean => latest.get(socket)?.req.complete === true;

/** A request whose connection Node lets go of is not held back by Node: resolves when all before it are answered. */
export function lastTurnOf(socket: Socket): Promise<void> | undefined {
  const before = latest.get(socket);
  if (!before || before.destroyed || socket.destroyed) return undefined;
  return new Promise((resolve) => {
    before.once('close', resolve);
    socket.once('close', resolve);
  });
}

/**
 * On a connection of HTTP/1.1 one request is answered after the other: what was sent ahead waits, and costs nothing.
 * Resolves when it is the turn of this one; false where the connection is gone.
 */
export function turnOf({ socket }: IncomingMessage, outgoing: ServerResponse): Promise<boolean> {
  const queue = queues.get(socket) ?? openQueue(socket);
  if (queue.size >= waitingMax) socket.destroy();
  if (socket.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const wake = () => {
      queue.delete(wake);
      resolve(!socket.destroyed);
    };
    queue.add(wake);
    // Node hands an answer its connection when those before it are written.
    outgoing.once('socket', wake);
  });
}

function openQueue(socket: Socket): Set<() => void> {
  const queue = new Set<() => void>();
  queues.set(socket, queue);
  socket.once('close', () => {
    for (const wake of queue) wake();
  });
  return queue;
}
