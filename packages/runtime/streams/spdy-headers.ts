import { constants, createInflate, type Inflate } from 'node:zlib';
import { spdyDictionary } from './spdy-dictionary.ts';

export type SpdyHeaders = Readonly<Record<string, string>>;

const headerBytesMax = 64 * 1024;
/** An empty block, as zlib's sync flush writes: decoders hand out what they have when they see it. */
const flushMark = Buffer.from([0, 0, 0, 0xff, 0xff]);

/** Decompresses header blocks; their compression spans a whole connection, so they must come in order. */
export class SpdyHeaderReader {
  readonly #inflate: Inflate = createInflate({ dictionary: spdyDictionary });
  #chunks: Buffer[] = [];
  #failed: Error | undefined;

  constructor() {
    this.#inflate.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    this.#inflate.on('error', (error) => (this.#failed = error));
  }

  async read(block: Buffer): Promise<SpdyHeaders> {
    await new Promise<void>((resolve, reject) => {
      this.#inflate.once('error', reject);
      this.#inflate.write(block);
      this.#inflate.flush(constants.Z_SYNC_FLUSH, () => {
        this.#inflate.removeListener('error', reject);
        resolve();
      });
    });
    if (this.#failed) throw this.#failed;
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    if (bytes.length > headerBytesMax) throw new RangeError(`SPDY headers of ${bytes.length} bytes are too large`);
    return parseHeaders(bytes);
  }

  close(): void {
    this.#inflate.destroy();
  }
}

/** Writes header blocks as stored (not compressed) blocks: valid to any decoder, and without a state to keep. */
export class SpdyHeaderWriter {
  #begun = false;

  write(headers: SpdyHeaders): Buffer {
    const content = formatHeaders(headers);
    const stored = Buffer.alloc(5);
    stored.writeUInt16LE(content.length, 1);
    stored.writeUInt16LE(~content.length & 0xffff, 3);
    // The zlib stream's own two bytes (RFC 1950) come once.
    const start = this.#begun ? Buffer.alloc(0) : Buffer.from([0x78, 0x01]);
    this.#begun = true;
    return Buffer.concat([start, stored, content, flushMark]);
  }
}

function parseHeaders(bytes: Buffer): SpdyHeaders {
  const headers: Record<string, string> = {};
  let at = 4;
  const text = () => {
    const length = bytes.readUInt32BE(at);
    const value = bytes.toString('utf8', at + 4, at + 4 + length);
    at += 4 + length;
    return value;
  };
  for (let left = bytes.readUInt32BE(0); left > 0; left--) {
    const name = text();
    headers[name.toLowerCase()] = text();
  }
  return headers;
}

function formatHeaders(headers: SpdyHeaders): Buffer {
  const parts: Buffer[] = [uint32(Object.keys(headers).length)];
  for (const text of Object.entries(headers).flat()) parts.push(uint32(Buffer.byteLength(text)), Buffer.from(text));
  return Buffer.concat(parts);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
