import type { Duplex, Writable } from 'node:stream';
import type { ServerContext } from '../context.ts';
import type { Content } from '../request.ts';
import type { Outgoing } from './response.ts';

/** Whoever takes less is not waited for: 128 kbit/s, of what is on its way in one piece. */
const slowestBytesPerMs = 16;

/**
 * A watch that has ended is cut where its client does not take what it was told: the rest comes in pieces, and each piece
 * has its time.
 */
export function cutUnlessTaken(
  { content }: { readonly content: Content },
  outgoing: Outgoing | Writable,
  server: ServerContext,
): void {
  if (content.type !== 'watch') return;
  const { watcher } = content;
  if (watcher.ended) return cutUnlessRead(outgoing, server);
  const { onEnd } = watcher;
  watcher.onEnd = () => {
    onEnd?.();
    cutUnlessRead(outgoing, server);
  };
}

/** Cut unless its client takes it in time. */
export function cutUnlessRead(outgoing: Outgoing | Writable, { clock, limits }: ServerContext): void {
  // An answer of HTTP/2 finishes before its stream does; one of HTTP/1.1 may be written to its connection directly.
  const sent = ('stream' in outgoing ? outgoing.stream : outgoing) as Writable;
  const connection = 'chunkedEncoding' in outgoing ? outgoing.socket : undefined;
  if (sent.destroyed || sent.writableFinished) return;
  let cancel: (() => void) | undefined;
  const wait = () => {
    cancel?.();
    const leftBytes = sent.writableLength;
    const writtenBytes = connection?.bytesWritten;
    cancel = clock.after(limits.lingerMs + Math.ceil(leftBytes / slowestBytesPerMs), () => {
      // Less is left, or the next piece is under way: one that is as long, and small, is told by nothing else.
      if (sent.writableLength !== leftBytes || connection?.bytesWritten !== writtenBytes) wait();
      else outgoing.destroy();
    });
  };
  const over = () => {
    cancel?.();
    connection?.off('drain', wait);
  };
  outgoing.on('drain', wait);
  connection?.on('drain', wait);
  sent.once('finish', over);
  sent.once('close', over);
  wait();
}

/** A connection that is over here, but not there, is cut after a while. */
export function closeLater(socket: Duplex, { clock, limits }: ServerContext): void {
  if (socket.destroyed) return;
  const cancel = clock.after(limits.lingerMs, () => socket.destroy());
  socket.once('close', cancel);
  // What is still sent is read to its end: unread, it would take the answer with it.
  socket.resume();
}
