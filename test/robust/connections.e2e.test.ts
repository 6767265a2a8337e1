/** Clients that are slow, silent, gone, or too many: each has its time, and the server its files and memory. */
import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { until } from '../e2e/process.ts';
import { asking, frame, http2, request, type } from './frames.ts';
import { startVictim, type Victim } from './server.ts';
import { tcp, tls, type Wire } from './wire.ts';

let server: Victim;
before(async () => {
  server = await startVictim({
    requestLimits: { lingerMs: 500, headTimeoutMs: 4_000, idleTimeoutMs: 4_000, requestTimeoutMs: 4_000 },
  });
  for (let index = 0; index < 12; index += 1) {
    await server.create(configMaps, { metadata: { name: `big-${index}` }, data: { value: 'v'.repeat(900_000) } });
  }
});
after(async () => assert.equal(await server.stop(), 0));

const endOfStream = 1;
const configMaps = '/api/v1/namespaces/default/configmaps';
const auth = 'authorization: Bearer admin\r\n';
const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n${auth}\r\n`;
const post = `POST ${configMaps} HTTP/1.1\r\nhost: a\r\n${auth}content-type: application/json\r\n`;

const many = (count: number, open: () => Promise<Wire>): Promise<Wire[]> =>
  Promise.all(Array.from({ length: count }, open));
const closed = (wires: readonly Wire[]) => Promise.all(wires.map((wire) => wire.closed));
const http1 = () => tls(server.port);

/** Sends a byte now and then, for as long as it may. */
function trickle(wire: Wire, byte: string): void {
  const timer = setInterval(() => wire.write(byte), 100);
  void wire.closed.then(() => clearInterval(timer));
}

const slow: readonly (readonly [name: string, open: () => Promise<Wire>, begin: string, goOn?: string])[] = [
  ['say nothing', () => tcp(server.port), ''],
  ['stop within a handshake', () => tcp(server.port), '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['say nothing once it is encrypted', http1, ''],
  ['say nothing on HTTP/2', () => tls(server.port, 'h2'), ''],
  [
    'say nothing after the preface of HTTP/2',
    () => tls(server.port, 'h2'),
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
  ],
  ['send a head a byte at a time', http1, 'GET / HTTP/1.1\r\nx: ', 'y'],
  ['send a body a byte at a time', http1, `${post}content-length: 100000\r\n\r\n`, ' '],
  ['send chunks a byte at a time', http1, `${post}transfer-encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
  [
    'upgrade, and send a body a byte at a time',
    http1,
    `${post}connection: upgrade\r\nupgrade: x\r\ncontent-length: 100000\r\n\r\n`,
    ' ',
  ],
  ['keep a connection that they do not use', http1, get('/version')],
];

for (const [name, open, begin, goOn] of slow) {
  test(`clients that ${name} are cut`, () =>
    server.survives(async () => {
      const wires = await many(40, open);
      for (const wire of wires) {
        wire.write(begin);
        if (goOn) trickle(wire, goOn);
      }
      await closed(wires);
    }));
}

test('a quiet watch on HTTP/2 is no idle connection', () =>
  server.survives(async () => {
    const wire = await http2(server.port);
    wire.write(request(1, asking(`${configMaps}?watch=true&timeoutSeconds=6&fieldSelector=metadata.name%3Dnone`)));
    const isOver = ({ received }: Wire) => received.includes(frame(type.data, endOfStream, 1));
    await wire.until(isOver);
    assert.ok(isOver(wire));
    // From here on it is one.
    await wire.closed;
  }));

test('clients that do not read long lists are cut, and take no memory for them', () =>
  server.survives(async () => {
    const wires = await many(40, () => tls(server.port, 'http/1.1', false));
    for (const wire of wires) wire.write(get(configMaps));
    // Nothing is read, so the end is not seen either: it is when the server has let go.
    await server.released();
    for (const wire of wires) wire.destroy();
    // Of 430 MB.
  }, 256 << 20));

test('clients that do not read long lists, and go on with what is no HTTP, are cut', () =>
  server.survives(async () => {
    const wires = await many(10, () => tls(server.port, 'http/1.1', false));
    const wrong = `${post}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n`;
    // The second comes when the connection is full, the others when it is known to be no HTTP.
    for (const packet of [get(configMaps), wrong, 'x'.repeat(1_000), 'x'.repeat(1_000)]) {
      for (const wire of wires) wire.write(packet);
      await setTimeout(300);
    }
    await server.released();
    for (const wire of wires) wire.destroy();
  }, 256 << 20));

test('watches that are never read hold no more than their connections do', () =>
  server.survives(async () => {
    const wires = await many(50, () => tls(server.port, 'http/1.1', false));
    for (const wire of wires) wire.write(get(`${configMaps}?watch=true&timeoutSeconds=3`));
    for (let index = 0; index < 20; index += 1) {
      await server.create(configMaps, { metadata: { name: `more-${index}` }, data: { value: 'v'.repeat(900_000) } });
    }
    await server.released();
    for (const wire of wires) wire.destroy();
  }));

test('clients that say farewell within an answer, or none, leave nothing behind', () =>
  server.survives(async () => {
    const asked = [
      get(configMaps),
      get(`${configMaps}?watch=true`),
      `${post}content-length: 100\r\n\r\n{`,
      get('/version'),
    ];
    for (const leave of ['end', 'destroy', 'reset'] as const) {
      const wires = await many(40, http1);
      for (const [index, wire] of wires.entries()) wire.write(asked[index % asked.length]!);
      await Promise.all(
        wires.slice(0, 20).map(async (wire, index) => index % 4 === 2 || wire.until((one) => one.text !== '')),
      );
      for (const wire of wires) {
        if (leave === 'end') wire.socket.end();
        else wire[leave]();
      }
      await closed(wires);
    }
  }));

test('five hundred connections come and go', () =>
  server.survives(async () => {
    for (let round = 0; round < 5; round += 1) {
      const wires = await many(100, round % 2 ? () => tcp(server.port) : http1);
      for (const wire of wires) wire.reset();
      await closed(wires);
    }
  }, 256 << 20));

test('clients cannot take the last file of the server', async () => {
  const small = await startVictim({ filesMax: 300, requestLimits: { headTimeoutMs: 60_000, idleTimeoutMs: 60_000 } });
  const kept = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const isServed = async (agent: Agent) =>
    (await small.send('GET', '/version', undefined, 'admin', agent)).code === 200;
  assert.ok(await isServed(kept));
  const wires = await many(400, () => tcp(small.port));
  // One after the other is accepted, and let go of at once: the rest stays.
  await until('end of those that are too many', () => wires.some(({ isClosed }) => isClosed));
  assert.ok(wires.some(({ isClosed }) => !isClosed));
  await small.create(configMaps, { metadata: { name: 'a' } }, kept);
  assert.ok(await isServed(kept));
  for (const wire of wires) wire.destroy();
  kept.destroy();
  await small.survives(async () => {});
  assert.equal(await small.stop(), 0);
});
