import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { uid } from '@kubernode/machinery';
import type { ServerContext } from '../context.ts';
import { handle } from '../lifecycle.ts';
import { faultBytes, malformed, tooLarge, unknownCoding, unknownVersion, type Fault } from './faults.ts';
import { fromHttp } from './request.ts';
import type { Incoming } from './response.ts';
import { closeLater } from './patience.ts';
import { isLatestRead, lastTurnOf } from './pipeline.ts';
import { writeRaw } from './upgrade.ts';

/** What Node's parser says of a connection that it gives up. */
export interface ParseFailure extends Error {
  readonly code?: string;
  readonly reason?: string;
  /** What was read when it failed. */
  readonly rawPacket?: Uint8Array;
}

/**
 * What is no HTTP is answered once, and the connection is closed. A method that Node does not know is a request all the
 * same: it is authenticated and authorized like any other before it is refused.
 */
export async function refuseMalformed(server: ServerContext, error: ParseFailure, socket: Duplex): Promise<void> {
  // It was told already: what still comes is no HTTP either.
  if (socket.writableEnded) return;
  // Who sends headers too slowly is cut off, as upstream does.
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (!socket.writable || error.code === 'ECONNRESET' || isLate) {
    socket.destroy();
    return;
  }
  // In the middle of an answer it would be taken for a part of that. What is wrong within a request has no answer to wait for.
  const turn = isLatestRead(socket as Socket) ? lastTurnOf(socket as Socket) : undefined;
  if (turn) {
    if (waiting.has(socket)) return;
    waiting.add(socket);
    await turn;
    if (!socket.writable) return;
  }
  const incoming = error.code === 'HPE_INVALID_METHOD' ? incomingOf(error.rawPacket) : undefined;
  if (!incoming) {
    socket.end(faultBytes(parseFault(error)));
    closeLater(socket, server);
    return;
  }
  try {
    const certificate = socket instanceof TLSSocket && socket.authorized ? socket.getPeerX509Certificate() : undefined;
    const request = fromHttp(incoming, certificate ? { clientCertificate: certificate.raw } : {}, neverAborted);
    const response = await handle(request, server);
    await writeRaw(response, request, socket, server, { 'audit-id': uid(), 'cache-control': 'no-cache, private' });
  } catch {
    socket.destroy();
  }
}

/** They are told when all before is answered. */
const waiting = new WeakSet<Duplex>();
const neverAborted = new AbortController().signal;

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

/** The head of a request whose method Node's parser does not take; undefined where it is no head. */
function incomingOf(packet: Uint8Array | undefined): Incoming | undefined {
  const [first = '', ...lines] = Buffer.from(packet ?? [])
    .toString('latin1')
    .split('\r\n');
  const [, method, url] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\/\S*) HTTP\/1\.[01]$/.exec(first) ?? [];
  if (!method || !url || !lines.includes('')) return undefined;
  const headers: Record<string, string> = {};
  for (const line of lines.slice(0, lines.indexOf(''))) {
    const colon = line.indexOf(':');
    if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  // There is no body to be had: the parser has stopped.
  return { method, url, headers: { ...headers, 'content-length': '0' } } as unknown as Incoming;
}
