/** Clients that neither go on nor go away: a server on a clock that stands still has lost its patience with each. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FakeClock } from '@kubernode/machinery';
import { createPki } from '../pki/pki.ts';
import { startServed } from '../served-testing.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

async function start(t: TestContext, tls = false) {
  const clock = new FakeClock();
  const server = await startServed({ clock, ...(tls ? { tls: createPki({ clock }).serving } : {}) });
  t.after(() => server.stop());
  const admin = server.transport('system:admin');
  const create = (name: string, value: string) =>
    admin.request({ method: 'POST', path: configMaps, body: { metadata: { name }, data: { value } } });
  const { hostname, port } = new URL(server.url!);
  /** A client that ends nothing by itself. */
  const dial = (text: string): { socket: Socket; told: () => string } => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let told = '';
    socket.on('data', (chunk: Buffer) => (told += chunk.toString('latin1')));
    socket.on('error', () => {});
    socket.write(text);
    return { socket, told: () => told };
  };
  /** Requests that hold seats of the level of those who may do everything. */
  const executing = async () => {
    const { body } = await admin.stream({ method: 'GET', path: '/metrics' });
    let text = '';
    for await (const chunk of body) text += Buffer.from(chunk).toString();
    const gauge = /^apiserver_flowcontrol_current_executing_requests\{.*priority_level="exempt"\} (\d+)$/m;
    return Number(gauge.exec(text)?.[1]);
  };
  return { server, clock, create, dial, executing };
}

/** Lets the time go by until the server has cut the client, which notices when what it still sends has no reader. */
async function cut(clock: FakeClock, socket: Duplex, byMs: number): Promise<void> {
  while (!socket.destroyed) {
    await clock.advance(byMs);
    if (socket.writable) socket.write('x');
    await setImmediate();
  }
}

const refused: readonly (readonly [name: string, sent: string, told: RegExp])[] = [
  ['sends no HTTP', 'nonsense\r\n\r\n', /^HTTP\/1\.1 400 /],
  [
    'asks for an upgrade that is none',
    `GET ${configMaps} HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n`,
    /^HTTP\/1\.1 200 /,
  ],
  [
    'never sends the body that it was told not to',
    `POST ${configMaps} HTTP/1.1\r\nhost: a\r\ncontent-length: 4000000\r\n\r\n{`,
    /^HTTP\/1\.1 413 /,
  ],
];

for (const [name, sent, answer] of refused) {
  test(`serve cuts a client that ${name}, and stays`, async (t) => {
    const { clock, dial } = await start(t);
    const { socket, told } = dial(sent);
    await cut(clock, socket, 10_000);
    assert.match(told(), answer);
  });
}

test('serve limits the time of an upgrade that is none', async (t) => {
  const { clock, dial } = await start(t);
  const head = `POST ${configMaps} HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: x\r\n`;
  const { socket } = dial(`${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{`);
  await cut(clock, socket, 60_000);
});

test('serve holds the seat of an answer that is not taken, and cuts it when its time is up', async (t) => {
  const { server, clock, create, executing } = await start(t);
  for (let index = 0; index < 12; index += 1) await create(`big-${index}`, 'v'.repeat(900_000));
  const { hostname, port } = new URL(server.url!);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const protobuf = 'accept: application/vnd.kubernetes.protobuf\r\n';
  socket.write(`GET ${configMaps} HTTP/1.1\r\nhost: a\r\n${protobuf}\r\n`);
  await once(socket, 'readable');
  // That of the question itself is the other one.
  assert.equal(await executing(), 2);
  await clock.advance(59_999);
  assert.equal(await executing(), 2);
  await clock.advance(1);
  assert.equal(await executing(), 1);
  socket.destroy();
});

test('serve cuts a watch that has ended and is not read', async (t) => {
  const { server, clock, create } = await start(t, true);
  const session = connectHttp2(server.url!, { rejectUnauthorized: false, settings: { initialWindowSize: 0 } });
  const watch = session.request({ ':path': `${configMaps}?watch=true&timeoutSeconds=30` });
  watch.on('error', () => {});
  await once(watch, 'response');
  await create('a', 'b');
  await clock.advance(30_000);
  while (!watch.destroyed) {
    await clock.advance(10_000);
    await setImmediate();
  }
  session.destroy();
});

test('serve lets a slow client take the rest of a watch that has ended', async (t) => {
  const { server, clock, create } = await start(t, true);
  for (let index = 0; index < 3; index += 1) await create(`big-${index}`, 'v'.repeat(900_000));
  const session = connectHttp2(server.url!, { rejectUnauthorized: false });
  const watch = session.request({ ':path': `${configMaps}?watch=true&timeoutSeconds=30` });
  await once(watch, 'response');
  await clock.advance(30_000);
  let bytes = 0;
  // Twice as fast as one must be: 85 s of what has its 10.
  for (; !watch.readableEnded; await setImmediate()) {
    const chunk = watch.read() as Buffer | null;
    if (!chunk) continue;
    bytes += chunk.length;
    await clock.advance(chunk.length / 32);
  }
  assert.ok(bytes > 2_700_000);
  assert.equal(watch.rstCode, 0);
  session.destroy();
});

test('serve closes a session of HTTP/2 when no stream was open for a while, and not before', async (t) => {
  const { server, clock, create } = await start(t, true);
  const session = connectHttp2(server.url!, { rejectUnauthorized: false });
  const watch = session.request({ ':path': `${configMaps}?watch=true&timeoutSeconds=300` });
  await once(watch, 'response');
  await clock.advance(200_000);
  await create('a', 'b');
  const [event] = (await once(watch, 'data')) as [Buffer];
  assert.match(event.toString(), /"ADDED"/);
  watch.resume();
  await clock.advance(100_000);
  while (!watch.destroyed) await setImmediate();
  assert.equal(session.closed, false);
  while (!session.closed) {
    await clock.advance(90_000);
    await setImmediate();
  }
});

test('serve answers what is sent ahead one after the other, but not without end', async (t) => {
  const { server, clock, dial, create } = await start(t);
  await create('a', 'b');
  const get = `GET ${configMaps}/a HTTP/1.1\r\nhost: a\r\n\r\n`;
  const { socket, told } = dial(get.repeat(50));
  while ((told().match(/HTTP\/1\.1 200 /g) ?? []).length < 50) await once(socket, 'data');
  socket.destroy();
  const flood = dial(`GET ${configMaps}?watch=true HTTP/1.1\r\nhost: a\r\n\r\n${get.repeat(200)}`);
  await cut(clock, flood.socket, 0);
  assert.equal((await fetch(`${server.url}${configMaps}/a`)).status, 200);
});

test('serve says that what follows is no HTTP when all before it is answered, and once', async (t) => {
  const { clock, create, dial } = await start(t);
  await create('a', 'b');
  const { socket, told } = dial(`GET ${configMaps}?watch=true&timeoutSeconds=30 HTTP/1.1\r\nhost: a\r\n\r\n`);
  while (!told().includes('"ADDED"')) await once(socket, 'data');
  for (let round = 0; round < 20; round += 1) {
    socket.write('nonsense\r\n\r\n');
    await create(`a-${round}`, 'b');
  }
  while (!told().includes('"a-19"')) await once(socket, 'data');
  await cut(clock, socket, 1_000);
  assert.match(told(), /\r\n0\r\n\r\nHTTP\/1\.1 400 Bad Request\r\n/);
  assert.equal(told().split('HTTP/1.1 400').length, 2);
});

test('serve says at once that the rest of a request is no HTTP', async (t) => {
  const { dial } = await start(t);
  const head = `POST ${configMaps} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n`;
  const { socket, told } = dial(`${head}transfer-encoding: chunked\r\n\r\n1\r\n{\r\nnonsense\r\n`);
  await once(socket, 'end');
  assert.match(told(), /^HTTP\/1\.1 400 /);
  socket.destroy();
});
