/** Reads frames of HTTP/2 (RFC 9113) at little cost: pieces of data are handed on where they are. */
import { type as frameTypes } from '../../test/robust/frames.ts';

const headBytes = 9;

export interface FrameHead {
  readonly type: number;
  readonly flags: number;
  /** 0: the connection itself. */
  readonly stream: number;
}

export interface FrameHandlers {
  /** A piece of a frame of data, in memory that is written again. */
  data(stream: number, piece: Buffer): void;
  /** Any other frame, whole. */
  control(head: FrameHead, payload: Buffer): void;
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
