import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import type { Duplex } from 'node:stream';

/**
 * Hands an upgraded connection (WebSocket or SPDY) on to the runtime's streaming server, byte by byte: the kubelet
 * understands nothing of what is said there.
 */
export function pipeUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, streamingUrl: string): void {
  const url = new URL(streamingUrl);
  const secure = url.protocol === 'https:';
  const target = { host: url.hostname, port: Number(url.port) || (secure ? 443 : 80) };
  const upstream: Socket = secure
    ? tlsConnect({ ...target, rejectUnauthorized: false })
    : connect({ ...target, allowHalfOpen: true });
  upstream.setNoDelay(true);
  upstream.write(requestHead(request, url));
  upstream.write(head);
  socket.pipe(upstream);
  upstream.pipe(socket);
  socket.on('error', () => upstream.destroy());
  socket.on('close', () => upstream.destroy());
  upstream.on('error', (error) => {
    if (upstream.bytesRead === 0 && socket.writable) {
      socket.end(`HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\ncontainer runtime's stream: ${error.message}\n`);
    } else socket.destroy();
  });
  upstream.on('close', () => socket.end());
}

function requestHead(request: IncomingMessage, url: URL): string {
  const lines = [`${request.method} ${url.pathname}${url.search} HTTP/1.1`, `Host: ${url.host}`];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] as string;
    // The runtime is not told the credentials that got the client this far.
    if (!/^(host|authorization)$/i.test(name)) lines.push(`${name}: ${request.rawHeaders[index + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
