import type { IncomingMessage, ServerResponse } from 'node:http';

/** Why a request is not looked at, in the words of Go's net/http. */
export interface Fault {
  readonly code: number;
  /** What is said beside the code. */
  readonly reason: string;
  readonly text: string;
}

const badRequest = (detail = ''): Fault => {
  const reason = `Bad Request${detail && `: ${detail}`}`;
  return { code: 400, reason, text: `400 ${reason}` };
};
export const malformed = badRequest();
export const tooLarge: Fault = {
  code: 431,
  reason: 'Request Header Fields Too Large',
  text: '431 Request Header Fields Too Large',
};
export const unknownCoding: Fault = { code: 501, reason: 'Not Implemented', text: 'Unsupported transfer encoding' };
const versionReason = 'HTTP Version Not Supported: unsupported protocol version';
export const unknownVersion: Fault = { code: 505, reason: versionReason, text: `505 ${versionReason}` };

const endsInChunks = /(^|[\s,])chunked$/i;
const hostPattern = /^[\w!$%&'()*+,\-.:;=[\]~]*$/;

/**
 * What is wrong with the head of a request that Node's parser takes: servers that read it differently must not be played
 * off against each other. RFC 9112, 3.2: one Host; 6.1: no coding but chunks. CONNECT names its host itself.
 */
export function faultOf({ method, rawHeaders, headers, httpVersionMajor, httpVersionMinor }: Head): Fault | undefined {
  if (httpVersionMajor !== 1) return undefined;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return unknownCoding;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return malformed;
  if (hosts === 0 && httpVersionMinor > 0 && method !== 'CONNECT') return badRequest('missing required Host header');
  return hostPattern.test(headers.host ?? '') ? undefined : badRequest('malformed Host header');
}

type Head = Pick<IncomingMessage, 'method' | 'rawHeaders' | 'headers' | 'httpVersionMajor' | 'httpVersionMinor'>;

/** Tells it, and closes the connection; what the parser refuses next is told then. */
export function answerFault(fault: Fault, { headers }: IncomingMessage, outgoing: ServerResponse): void {
  const { code, reason, text } = fault;
  if (fault === unknownCoding && !endsInChunks.test(headers['transfer-encoding'] ?? '')) return;
  outgoing.writeHead(code, reason, { ...textHeaders, 'content-length': text.length });
  outgoing.end(text);
}

/** The whole answer, for a connection that HTTP has let go of. */
export const faultBytes = ({ code, reason, text }: Fault): string =>
  `HTTP/1.1 ${code} ${reason}\r\nContent-Type: ${textHeaders['content-type']}\r\nConnection: close\r\n\r\n${text}`;

const textHeaders = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };
