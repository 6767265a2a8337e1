import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { StreamServer } from './server.ts';

let server: StreamServer;
before(async () => {
  server = await StreamServer.start({ host: '127.0.0.1', clock: new FakeClock(), log: silentLogger });
});
after(() => server.close());

async function upgrade(path: string, body = ''): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: portOf() });
  const headers = ['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';
  const protocol = 'Sec-WebSocket-Protocol: v4.channel.k8s.io';
  socket.write(`GET ${path} HTTP/1.1\r\n${[...headers, key, protocol].join('\r\n')}\r\n\r\n`);
  socket.write(Buffer.from(body, 'latin1'));
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

const forward = () =>
  server.urlFor({ kind: 'portforward', ports: [], connect: () => Promise.reject(new Error('no port')) });
const portOf = () => Number(new URL(forward()).port);

test('StreamServer refuses an address that is no URL', async () => {
  assert.match(await upgrade('//'), /^HTTP\/1.1 400 /);
});

test('StreamServer refuses a token that it did not give', async () => {
  assert.match(await upgrade('/portforward/guessed'), /^HTTP\/1.1 404 /);
});

test('StreamServer survives a broken WebSocket frame of a port-forward', async () => {
  // A reserved operation code.
  assert.match(await upgrade(new URL(forward()).pathname, '\x8f\x80\0\0\0\0'), /^HTTP\/1.1 101 /);
});
