import type { Duplex } from 'node:stream';
import type { ServerContext } from '../context.ts';
import { encodeAnswer } from '../encode/answer.ts';
import type { ServerRequest, ServerResponse } from '../request.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Answers on a connection that Node has let go of for an upgrade that does not come about; then closes it. */
export async function writeRaw(
  response: ServerResponse,
  request: ServerRequest,
  socket: Duplex,
  server: ServerContext,
  headers: Record<string, string | readonly string[]>,
): Promise<void> {
  const { content, code } = response;
  const all: Record<string, string | readonly string[]> = { ...headers, ...response.headers, connection: 'close' };
  let body: Buffer = Buffer.alloc(0);
  if (content.type === 'stream') body = content.body ? await collected(content.body) : body;
  else if (content.type !== 'watch' && content.type !== 'upgraded') {
    const encoded = encodeAnswer(content, server.clock.now(), request.query);
    all['content-type'] = encoded.contentType;
    body = encoded.body;
  }
  all['content-length'] = String(body.length);
  const lines = Object.entries(all).flatMap(([name, value]) =>
    typeof value === 'string' ? `${name}: ${value}` : value.map((one) => `${name}: ${one}`),
  );
  socket.write(`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n`);
  socket.end(body);
}

async function collected(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
