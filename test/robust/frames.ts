/** HTTP/2 frame by frame (RFC 9113), so that none of a client library's good manners come between. */
import { tls, type Wire } from './wire.ts';

/** Of frames. */
export const type = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const;

const endStream = 1;
const endHeaders = 4;

export function frame(kind: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = kind;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A whole request without a body. */
export const request = (stream: number, block: Uint8Array): Buffer =>
  frame(type.headers, endStream | endHeaders, stream, block);

/** A request whose body is to come. */
export const opening = (stream: number, block: Uint8Array): Buffer => frame(type.headers, endHeaders, stream, block);

/** Neither indexed nor compressed. */
export const headerBlock = (headers: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat(Object.entries(headers).flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]));

/** As the administrator. */
export const asking = (path: string, method = 'GET', more: Readonly<Record<string, string>> = {}): Buffer =>
  headerBlock({
    ':method': method,
    ':scheme': 'https',
    ':authority': 'a',
    ':path': path,
    authorization: 'Bearer admin',
    'content-type': 'application/json',
    ...more,
  });

/** HPACK: a string of any length. */
export function literal(text: string): Buffer {
  const bytes = text.length < 127 ? [text.length] : [127];
  let rest = text.length - 127;
  if (rest >= 0) {
    for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128);
    bytes.push(rest);
  }
  return Buffer.concat([Buffer.from(bytes), Buffer.from(text)]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function setting(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt32BE(value, 2);
  return bytes;
}

/** A connection whose preface is sent. */
export async function http2(port: number, settings?: Uint8Array): Promise<Wire> {
  const wire = await tls(port, 'h2');
  wire.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  wire.write(frame(type.settings, 0, 0, settings));
  return wire;
}

/** The frames that came, in their order. */
export function* framesOf({ received }: Wire): Generator<{ readonly kind: number; readonly endsStream: boolean }> {
  for (let at = 0; at + 9 <= received.length; at += 9 + received.readUIntBE(at, 3)) {
    yield { kind: received[at + 3]!, endsStream: (received[at + 4]! & endStream) !== 0 };
  }
}

/** How many frames of a kind came. */
export function told(wire: Wire, kind: number): number {
  let count = 0;
  for (const came of framesOf(wire)) if (came.kind === kind) count += 1;
  return count;
}

/** Sends `count` of them, as fast as the server takes them, or until it has enough. */
export async function flood(wire: Wire, count: number, make: (index: number) => Uint8Array): Promise<void> {
  const atOnce = 100;
  for (let index = 0; index < count && !wire.isClosed; index += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, count - index) }, (_, offset) => make(index + offset));
    await wire.send(Buffer.concat(some));
  }
}
