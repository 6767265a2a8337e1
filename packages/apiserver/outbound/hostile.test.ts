/** Servers that are asked, and mean no good: the time and the memory that they get are bounded. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { after, before, test, type TestContext } from 'node:test';
import { silentLogger, systemClock } from '@kubernode/machinery';
import { MemoryState } from '../memory-state.ts';
import { Connections } from './connections.ts';
import { urlDestination } from './destination.ts';
import { createOutbound, type Outbound } from './outbound.ts';

let outbound: Outbound;
before(() => {
  outbound = createOutbound({ state: new MemoryState(), clock: systemClock, log: silentLogger, random: Math.random });
});
after(() => outbound.close());

/** A server that does this with each connection; answers its address, and how many connections there are. */
async function peer(t: TestContext, behave: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    behave(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { authority: `127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

/** Resolves when the asker has let go of all of them. */
async function left(sockets: ReadonlySet<Socket>): Promise<void> {
  for (const socket of sockets) if (!socket.destroyed) await new Promise((done) => socket.resume().once('close', done));
}

/** Writes the same again and again, as fast as it is taken. */
function endless(socket: Socket, text: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', more);
  more();
}

const head = 'HTTP/1.1 200 OK\r\n';
const late = /^Post "http:\/\/127\.0\.0\.1:\d+\/review": context deadline exceeded$/;

const reviews: readonly (readonly [name: string, behave: (socket: Socket) => void, failure: RegExp])[] = [
  ['never answers', () => {}, late],
  ['stops in the middle of a head', (socket) => socket.write(`${head}x: y`), late],
  ['stops in the middle of a body', (socket) => socket.write(`${head}content-length: 9\r\n\r\n{`), late],
  [
    'always has something else to say first',
    (socket) => endless(socket, 'HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n'),
    late,
  ],
  [
    'sends a body without end',
    (socket) => {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
      endless(socket, `10000\r\n${'x'.repeat(0x10000)}\r\n`);
    },
    /the answer is larger than 16777216 bytes$/,
  ],
  ['sends headers without end', (socket) => endless(socket, `${head}x: ${'y'.repeat(100_000)}`), /Header overflow/],
  ['speaks no HTTP', (socket) => socket.end('220 mail.example.com ESMTP\r\n'), /Parse Error/],
  ['hangs up', (socket) => socket.end(), /EOF|socket hang up/],
  ['hangs up in the middle of a body', (socket) => socket.end(`${head}content-length: 9\r\n\r\n{`), /EOF$/],
];

for (const [name, behave, failure] of reviews) {
  test(`post gives up on a server that ${name}`, async (t) => {
    const { authority, sockets } = await peer(t, (socket) => void socket.once('data', () => behave(socket)));
    const to = urlDestination(`http://${authority}/review`, {});
    await assert.rejects(
      outbound.post(to, {}, { timeoutMs: failure === late ? 500 : 30_000 }),
      ({ message }: Error) => {
        assert.match(message, failure);
        return true;
      },
    );
    await left(sockets);
  });
}

test('post does not follow a redirect', async (t) => {
  let asked = 0;
  const { authority } = await peer(t, (socket) => {
    socket.on('data', () => {
      asked += 1;
      socket.write(`HTTP/1.1 307 Again\r\nlocation: http://${authority}/review\r\ncontent-length: 0\r\n\r\n`);
    });
  });
  const { status } = await outbound.post(urlDestination(`http://${authority}/review`, {}), {}, { timeoutMs: 10_000 });
  assert.deepEqual([status, asked], [307, 1]);
});

test('Connections do not wait for a handshake that does not go on', async (t) => {
  const { authority, sockets } = await peer(t, () => {});
  const connections = new Connections(100);
  t.after(() => connections.close());
  const to = urlDestination(`https://${authority}/`, {});
  const signal = new AbortController().signal;
  const sent = { method: 'GET', path: '/', headers: {}, body: undefined, signal };
  await assert.rejects(connections.send(to, to.address(), sent), { code: 'ETIMEDOUT', message: 'i/o timeout' });
  await assert.rejects(connections.open(to, to.address(), signal), { code: 'ETIMEDOUT', message: 'i/o timeout' });
  await left(sockets);
});
