/** SPDY/3.1's frames, as far as Kubernetes' streams use them (draft-mbelshe-httpbis-spdy-00, section 2). */
export type SpdyFrame =
  | { readonly type: 'synStream'; readonly streamId: number; readonly fin: boolean; readonly headerBlock: Buffer }
  | { readonly type: 'synReply'; readonly streamId: number; readonly fin: boolean; readonly headerBlock: Buffer }
  | { readonly type: 'headers'; readonly streamId: number; readonly fin: boolean; readonly headerBlock: Buffer }
  | { readonly type: 'reset'; readonly streamId: number; readonly status: number }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'goAway'; readonly lastStreamId: number; readonly status: number }
  | { readonly type: 'data'; readonly streamId: number; readonly fin: boolean; readonly data: Buffer }
  /** Settings, window updates and what else needs no answer. */
  | { readonly type: 'ignored'; readonly kind: number };

const version = 3;
const headerBytes = 8;
const flagFin = 1;
const kinds = { synStream: 1, synReply: 2, reset: 3, ping: 6, goAway: 7, headers: 8 } as const;
/** A frame above this is refused: the length field would allow 16 MiB. */
const frameBytesMax = 4 * 1024 * 1024;

/** Cuts a stream of bytes into frames; what is incomplete waits for more. Throws RangeError for what is not SPDY/3. */
export class SpdyFrameReader {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): SpdyFrame[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: SpdyFrame[] = [];
    while (this.#rest.length >= headerBytes) {
      const length = this.#rest.readUIntBE(5, 3);
      if (length > frameBytesMax) throw new RangeError(`SPDY frame of ${length} bytes is above ${frameBytesMax}`);
      if (this.#rest.length < headerBytes + length) break;
      frames.push(
        parseFrame(this.#rest.subarray(0, headerBytes), this.#rest.subarray(headerBytes, headerBytes + length)),
      );
      this.#rest = this.#rest.subarray(headerBytes + length);
    }
    return frames;
  }
}

function parseFrame(head: Buffer, body: Buffer): SpdyFrame {
  const fin = ((head[4] ?? 0) & flagFin) !== 0;
  const first = head.readUInt32BE(0);
  if (first < 0x8000_0000) return { type: 'data', streamId: first, fin, data: body };
  if (((first >>> 16) & 0x7fff) !== version) throw new RangeError(`SPDY version ${(first >>> 16) & 0x7fff} is not 3`);
  const kind = first & 0xffff;
  if (kind === kinds.synStream) {
    return { type: 'synStream', streamId: streamIdAt(body, 0), fin, headerBlock: body.subarray(10) };
  }
  if (kind === kinds.synReply)
    return { type: 'synReply', streamId: streamIdAt(body, 0), fin, headerBlock: body.subarray(4) };
  if (kind === kinds.headers)
    return { type: 'headers', streamId: streamIdAt(body, 0), fin, headerBlock: body.subarray(4) };
  if (kind === kinds.reset) return { type: 'reset', streamId: streamIdAt(body, 0), status: body.readUInt32BE(4) };
  if (kind === kinds.ping) return { type: 'ping', id: body.readUInt32BE(0) };
  if (kind === kinds.goAway) return { type: 'goAway', lastStreamId: streamIdAt(body, 0), status: body.readUInt32BE(4) };
  return { type: 'ignored', kind };
}

/** The bytes of a frame. Throws for `ignored`, which is never sent. */
export function encodeFrame(frame: SpdyFrame): Buffer {
  if (frame.type === 'data') return Buffer.concat([head(frame.streamId, frame.fin, frame.data.length), frame.data]);
  if (frame.type === 'ignored') throw new RangeError('encode SPDY frame: "ignored" is not sent');
  const fin = 'fin' in frame && frame.fin;
  const body = bodyOf(frame);
  return Buffer.concat([head(0x8000_0000 + version * 0x1_0000 + kinds[frame.type], fin, body.length), body]);
}

function bodyOf(frame: Exclude<SpdyFrame, { type: 'data' | 'ignored' }>): Buffer {
  if (frame.type === 'ping') return numbers(frame.id);
  if (frame.type === 'reset') return numbers(frame.streamId, frame.status);
  if (frame.type === 'goAway') return numbers(frame.lastStreamId, frame.status);
  if (frame.type === 'synStream') {
    return Buffer.concat([numbers(frame.streamId, 0), Buffer.alloc(2), frame.headerBlock]);
  }
  return Buffer.concat([numbers(frame.streamId), frame.headerBlock]);
}

function head(first: number, fin: boolean, length: number): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  bytes.writeUInt32BE(first, 0);
  bytes[4] = fin ? flagFin : 0;
  bytes.writeUIntBE(length, 5, 3);
  return bytes;
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

function streamIdAt(body: Buffer, offset: number): number {
  return body.readUInt32BE(offset) & 0x7fff_ffff;
}
