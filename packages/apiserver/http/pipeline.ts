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

/** A request whose connection Node lets go of is not held back by Node: resolves when all before it are answered. */
export async function lastTurnOf(socket: Socket): Promise<void> {
  const before = latest.get(socket);
  if (!before || before.destroyed || socket.destroyed) return;
  const drain = () => tellDrain(socket);
  socket.on('drain', drain);
  await new Promise<void>((resolve) => {
    before.once('close', resolve);
    socket.once('close', resolve);
  });
  socket.off('drain', drain);
}

/** For an upgrade Node does not listen to the connection any more, but its answers to what was asked before are under way. */
function tellDrain(socket: Socket): void {
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse | null };
  if (answer?.writableNeedDrain && answer.writableLength === 0) answer.emit('drain');
}

/**
 * Resolves when the turn has come of what is wrong: of the next request, or within the latest, whose answer it takes the place
 * of. False where the connection is gone; it is cut where that answer is under way.
 */
export async function wrongTurnOf(socket: Socket): Promise<boolean> {
  const answer = latest.get(socket);
  if (!answer || answer.req.complete) await lastTurnOf(socket);
  else if (!answer.writableFinished) {
    if (!answer.socket) await turnOf(answer.req, answer);
    if (answer.headersSent) socket.destroy();
  }
  return socket.writable;
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

/** Its connection takes no other request, and its client is told so if it is not too late. */
export function endWith(answer: ServerResponse): void {
  const { socket } = answer.req;
  if (answer.headersSent) answer.once('finish', () => socket.destroySoon());
  else answer.shouldKeepAlive = false;
}
