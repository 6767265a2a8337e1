import { createHash } from 'node:crypto';
import type { Duplex, Writable } from 'node:stream';
import { offeredProtocols } from '../authentication/websocket-token.ts';
import type { ServerContext } from '../context.ts';
import { closeLater } from './patience.ts';
import { rawStream } from './raw-stream.ts';
import type { Incoming } from './response.ts';

/** RFC 6455, 1.3. */
const acceptGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const dataBytesMax = 32 * 1024 * 1024;
const controlBytesMax = 125;
const op = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const closeNormally = Buffer.from([0x03, 0xe8]);
const closeUnforeseen = Buffer.from([0x03, 0xf3]);

/** A request for a WebSocket. */
export interface WebSocketRequest {
  readonly incoming: Incoming;
  /** Node has let go of it. */
  readonly socket: Duplex;
  /** What came after the request's head. */
  readonly head: Buffer;
}

/** Which of the protocols that a client names is spoken, '' for none; or why it is refused. */
export type Choose = (
  offered: readonly string[],
  origin: string,
) => { readonly protocol: string } | { readonly refusal: '400 Bad Request' | '403 Forbidden' };

/**
 * Answers the request. Frames are to be written to `messages`, whose end closes the WebSocket, for good after a while; what the
 * client says is not listened to. `onEnd` is called when it has said farewell, or nonsense. Undefined where it is refused.
 */
export function openWebSocket(
  { incoming, socket, head }: WebSocketRequest,
  choose: Choose,
  onEnd: (messages: Writable) => void,
  server: ServerContext,
): { readonly messages: Writable; readonly protocol: string } | undefined {
  const { head: answer, protocol } = handshake(incoming, choose);
  socket.write(answer);
  if (protocol === undefined) {
    socket.end();
    closeLater(socket, server);
    return undefined;
  }
  const messages = rawStream(socket, (frames) => frames, frame(op.close, closeNormally));
  messages.once('finish', () => closeLater(socket, server));
  const client = new UnheardClient(socket, () => onEnd(messages));
  if (head.length > 0) client.take(head);
  socket.on('data', (chunk: Buffer) => client.take(chunk));
  socket.once('end', () => onEnd(messages));
  return { messages, protocol };
}

/** The head with which a WebSocket is accepted, or the whole refusal: what golang.org/x/net/websocket says. */
function handshake({ headers }: Incoming, choose: Choose): { readonly head: string; readonly protocol?: string } {
  const key = headers['sec-websocket-key'];
  if (!key) return refusal('400 Bad Request\r\n\r\nmismatch challenge/response');
  if (headers['sec-websocket-version'] !== '13') {
    return refusal('400 Bad Request\r\nSec-WebSocket-Version: 13\r\n\r\nmissing or bad WebSocket Version');
  }
  const { protocols } = offeredProtocols(String(headers['sec-websocket-protocol'] ?? ''));
  const choice = choose(protocols, String(headers['origin'] ?? ''));
  if ('refusal' in choice) return refusal(`${choice.refusal}\r\n\r\n`);
  const { protocol } = choice;
  const accept = createHash('sha1')
    .update(`${String(key)}${acceptGuid}`)
    .digest('base64');
  const chosen = protocol === '' ? '' : `Sec-WebSocket-Protocol: ${protocol}\r\n`;
  const head = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${chosen}\r\n`;
  return { head: `HTTP/1.1 101 Switching Protocols\r\n${head}`, protocol };
}

const refusal = (text: string) => ({ head: `HTTP/1.1 ${text}` });

/** A message in one frame, as servers send it. */
export const textFrame = (payload: Uint8Array): Buffer => frame(op.text, payload);
export const binaryFrame = (payload: Uint8Array): Buffer => frame(op.binary, payload);
/** The farewell where more should have come: clients heed no other after it. */
export const brokenOff = (): Buffer => frame(op.close, closeUnforeseen);

function frame(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const isShort = length <= 125;
  const isMiddle = !isShort && length < 65_536;
  const head = Buffer.alloc(isShort ? 2 : isMiddle ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = isShort ? length : isMiddle ? 126 : 127;
  if (isMiddle) head.writeUInt16BE(length, 2);
  else if (!isShort) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

/**
 * What the client of a WebSocket says that is only told: its pings are answered, all else is left out. Holds a head and a
 * control frame at most, whatever comes.
 */
export class UnheardClient {
  readonly #socket: Duplex;
  readonly #onEnd: () => void;
  #rest: Buffer = Buffer.alloc(0);
  #skipBytes = 0;

  /** `onEnd`: it has said farewell, or nonsense. */
  constructor(socket: Duplex, onEnd: () => void) {
    this.#socket = socket;
    this.#onEnd = onEnd;
  }

  take(chunk: Buffer): void {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    for (;;) {
      const skipped = Math.min(this.#skipBytes, bytes.length);
      this.#skipBytes -= skipped;
      bytes = bytes.subarray(skipped);
      const frameBytes = bytes.length < 2 ? undefined : this.#frame(bytes);
      if (frameBytes === undefined) break;
      bytes = bytes.subarray(frameBytes);
    }
    this.#rest = Buffer.from(bytes);
  }

  /** How much of it is done with; undefined where there is more to come before that is known. */
  #frame(bytes: Buffer): number | undefined {
    const opcode = bytes[0]! & 0x0f;
    const short = bytes[1]! & 0x7f;
    const payloadAt = (short === 127 ? 10 : short === 126 ? 4 : 2) + 4;
    const isMasked = bytes[1]! >= 0x80;
    if (!isMasked || opcode === op.close) {
      this.#onEnd();
      return bytes.length;
    }
    if (bytes.length < payloadAt) return undefined;
    const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
    const isControl = opcode >= op.close;
    if (length > (isControl ? controlBytesMax : dataBytesMax)) {
      this.#onEnd();
      return bytes.length;
    }
    if (!isControl) {
      this.#skipBytes = length;
      return payloadAt;
    }
    if (bytes.length < payloadAt + length) return undefined;
    if (opcode === op.ping) this.#answer(bytes.subarray(payloadAt - 4, payloadAt + length));
    return payloadAt + length;
  }

  /** A ping is masked; who does not read answers gets none. */
  #answer(masked: Buffer): void {
    if (this.#socket.writableNeedDrain || !this.#socket.writable) return;
    const payload = Buffer.from(masked.subarray(4));
    for (let at = 0; at < payload.length; at += 1) payload[at]! ^= masked[at % 4]!;
    this.#socket.write(frame(op.pong, payload));
  }
}
