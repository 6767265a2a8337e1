import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ServerContext } from '../context.ts';
import { faultBytes, malformed, tooLarge, unknownCoding, unknownVersion, type Fault } from './faults.ts';
import { closeLater } from './patience.ts';
import { wrongTurnOf } from './pipeline.ts';

const { IncomingMessage: NodeRequest, METHODS } = process.getBuiltinModule('node:http');

/** What Node's parser says of a connection that it gives up. */
export interface ParseFailure extends Error {
  readonly code?: string;
  readonly reason?: string;
  /** Where in `rawPacket` it failed. */
  readonly bytesParsed?: number;
  /** What was read when it failed. */
  readonly rawPacket?: Uint8Array;
}

/** They are told, or will be: what else comes from them is no HTTP either. */
const refused = new WeakSet<Duplex>();

/**
 * What is no HTTP is answered once, after all that was asked before it, and the connection is closed. A method that Node does
 * not know is a request all the same: `answer` is called for it, and the last on its connection. Never throws.
 */
export async function refuseMalformed(
  server: ServerContext,
  error: ParseFailure,
  socket: Socket,
  answer: (request: IncomingMessage) => void,
): Promise<void> {
  if (socket.writableEnded || refused.has(socket)) return;
  // Who sends headers too slowly is cut off, as upstream does.
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (!socket.writable || error.code === 'ECONNRESET' || isLate) {
    socket.destroy();
    return;
  }
  refused.add(socket);
  // Node's parser may have been paused for the answers before: it does not bear to be given more then.
  socket.removeAllListeners('data').on('data', () => {});
  const request = requestOf(error, socket);
  if (request) return answer(request);
  // In the middle of an answer it would be taken for a part of that.
  if (!(await wrongTurnOf(socket))) return;
  socket.end(faultBytes(parseFault(error)));
  closeLater(socket, server);
}

function parseFault({ code, reason = '' }: ParseFailure): Fault {
  if (code === 'HPE_HEADER_OVERFLOW') return tooLarge;
  // A length beside chunks is worse than an unknown coding: one of them is a lie.
  if (code === 'HPE_INVALID_TRANSFER_ENCODING' && !reason.includes('Content-Length')) return unknownCoding;
  if (code === 'HPE_INVALID_VERSION' && !reason.includes('CRLF')) return unknownVersion;
  return malformed;
}

/** A client of HTTP on the port of HTTPS is told so, beneath TLS: `connection` is what TLS runs over. */
export function refuseUnencrypted(connection: Duplex, server: ServerContext): void {
  connection.end('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
  closeLater(connection, server);
}

/** No method is longer; without an end a search from each of its characters would take their square. */
const requestLine = /([!#$%&'*+.^_`|~\w-]{1,32}) (\/\S*) HTTP\/1\.([01])$/;
const field = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([^\0\r\n]*?)[ \t]*$/;

/** A request whose method Node's parser does not take; undefined where all of its head is not there, or it is no head. */
function requestOf({ reason, bytesParsed, rawPacket }: ParseFailure, socket: Socket): IncomingMessage | undefined {
  if (!rawPacket || !reason?.includes('method')) return undefined;
  const text = Buffer.from(rawPacket).toString('latin1');
  // The parser has failed in this line; what comes before it in the packet was read.
  const lineEnd = text.indexOf('\r\n', bytesParsed);
  const headEnd = text.indexOf('\r\n\r\n', bytesParsed);
  const [, method, url, minor] = requestLine.exec(text.slice(0, Math.max(0, lineEnd))) ?? [];
  // One that Node does know is the end of a body and the beginning of a line.
  if (headEnd < 0 || !method || METHODS.includes(method)) return undefined;
  const rawHeaders: string[] = [];
  const headers: Record<string, string> = {};
  for (const line of lineEnd < headEnd ? text.slice(lineEnd + 2, headEnd).split('\r\n') : []) {
    const [, name, value] = field.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    rawHeaders.push(name, value);
    headers[name.toLowerCase()] = value;
  }
  // There is no body to be had, nor another protocol: the parser has stopped.
  headers['content-length'] = '0';
  delete headers['upgrade'];
  const request = new NodeRequest(socket);
  request.push(null);
  const version = { httpVersionMajor: 1, httpVersionMinor: Number(minor) };
  return Object.assign(request, { method, url, ...version, rawHeaders, headers, complete: true });
}
