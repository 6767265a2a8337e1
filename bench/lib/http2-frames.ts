/** As much of HTTP/2 (RFC 9113) and its headers (RFC 7541) as a client needs that opens streams and counts what they bring. */

export const frameTypes = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, windowUpdate: 8 } as const;
export const frameFlags = { ack: 1, endStream: 1, endHeaders: 4 } as const;

const headBytes = 9;

export interface FrameHead {
  readonly type: number;
  readonly flags?: number;
  /** 0: the connection itself. */
  readonly stream?: number;
}

export function frame({ type, flags = 0, stream = 0 }: FrameHead, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header whose name has a number in the static table (RFC 7541, appendix A), and whose value is no part of any table. */
export function header(name: number, value: string): Buffer {
  return Buffer.from([...integer(4, name), ...integer(7, value.length), ...Buffer.from(value, 'latin1')]);
}

/** RFC 7541, section 5.1: what does not fit in so many bits follows in bytes of seven. */
function integer(bits: number, value: number): number[] {
  const most = 2 ** bits - 1;
  if (value < most) return [value];
  const bytes = [most];
  let left = value - most;
  for (; left >= 128; left >>= 7) bytes.push((left & 127) | 128);
  return [...bytes, left];
}

export interface FrameHandlers {
  /** A piece of a frame of data, in memory that is written again. */
  data(stream: number, piece: Buffer): void;
  /** Any other frame, whole. */
  control(head: Required<FrameHead>, payload: Buffer): void;
}

/** Takes apart what comes, however it is cut. */
export class FrameReader {
  readonly #handlers: FrameHandlers;
  readonly #head = Buffer.alloc(headBytes);
  #headBytes = 0;
  /** Of the frame's payload. */
  #missing = 0;
  #control: Buffer[] = [];

  constructor(handlers: FrameHandlers) {
    this.#handlers = handlers;
  }

  read(received: Buffer, end: number): void {
    let at = 0;
    while (at < end) {
      if (this.#headBytes < headBytes) {
        this.#head[this.#headBytes] = received[at]!;
        this.#headBytes += 1;
        at += 1;
        if (this.#headBytes < headBytes) continue;
        this.#missing = this.#head.readUIntBE(0, 3);
      } else {
        const next = Math.min(end, at + this.#missing);
        this.#readPayload(received.subarray(at, next));
        this.#missing -= next - at;
        at = next;
      }
      if (this.#missing === 0) this.#endFrame();
    }
  }

  #readPayload(piece: Buffer): void {
    if (this.#head[3] === frameTypes.data) this.#handlers.data(this.#head.readUInt32BE(5), piece);
    else this.#control.push(Buffer.from(piece));
  }

  #endFrame(): void {
    this.#headBytes = 0;
    const type = this.#head[3]!;
    if (type === frameTypes.data) return;
    const head = { type, flags: this.#head[4]!, stream: this.#head.readUInt32BE(5) };
    const payload = Buffer.concat(this.#control);
    this.#control = [];
    this.#handlers.control(head, payload);
  }
}
