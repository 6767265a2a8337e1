import { JoinedPieces } from '../http/joined-pieces.ts';

/** All of an answer's body, one chunk of it uncopied. Rejects where it is longer than may be: it must not fill our memory. */
export async function wholeBody(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const pieces = new JoinedPieces();
  for await (const chunk of body) {
    if (pieces.length + chunk.length > bytesMax) throw new Error(`the answer is larger than ${bytesMax} bytes`);
    pieces.add(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
  }
  return pieces.take();
}
