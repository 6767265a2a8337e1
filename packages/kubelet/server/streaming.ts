import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import type { Duplex } from 'node:stream';
import { switchProtocols } from '@kubernode/machinery';
import type { Answer } from './routes.ts';

/** Of a runtime's refusal so much is passed on. */
const refusalBytesMax = 64 * 1024;

/**
 * Hands an upgraded connection (WebSocket or SPDY) on to the runtime's streaming server, byte by byte, once that has
 * switched protocols: the kubelet understands nothing of what is said there. Resolves with what to answer where the
 * runtime has not.
 */
export async function handOn(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  streamingUrl: string,
): Promise<Answer | undefined> {
  const url = new URL(streamingUrl);
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  try {
    const answer = await switchProtocols({
      client: { socket, head },
      server: dial(url),
      method: request.method ?? 'GET',
      path: url.pathname + url.search,
      // The runtime is not told the credentials that got the client this far.
      headers: { ...request.headersDistinct, host: url.host, authorization: undefined },
      signal: gone.signal,
    });
    if (answer === 'upgraded') return undefined;
    return { status: answer.statusCode!, text: await beginningOf(answer) };
  } catch (error) {
    return { status: 502, text: `container runtime's stream: ${(error as Error).message}` };
  }
}

function dial(url: URL): Duplex {
  const secure = url.protocol === 'https:';
  const target = { host: url.hostname, port: Number(url.port) || (secure ? 443 : 80) };
  const server = secure
    ? tlsConnect({ ...target, rejectUnauthorized: false })
    : connect({ ...target, allowHalfOpen: true });
  return server.setNoDelay(true);
}

async function beginningOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= refusalBytesMax) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, refusalBytesMax);
}
