import { Writable, type Duplex } from 'node:stream';

/**
 * A stream over a connection that HTTP has let go of: `wrap` is put around each piece, `last` is said at the end. It is
 * destroyed when its connection is. Who goes away in the middle is no error.
 */
export function rawStream(socket: Duplex, wrap: (piece: Buffer) => Buffer, last: Uint8Array | string): Writable {
  const stream = new Writable({
    write: (piece: Buffer, _encoding, done) => void socket.write(wrap(piece), done),
    final(done) {
      socket.end(last, done);
    },
    destroy(_error, done) {
      socket.destroy();
      done(null);
    },
  });
  stream.on('error', () => {});
  socket.once('close', () => stream.destroy());
  return stream;
}

const lineEnd = Buffer.from('\r\n');

/** A chunk of HTTP/1.1 in one piece (RFC 9112, 7.1). An empty one is the end of the answer. */
export const chunkOf = (piece: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`, 'latin1'), piece, lineEnd]);

export const chunkedStream = (socket: Duplex): Writable => rawStream(socket, chunkOf, '0\r\n\r\n');
