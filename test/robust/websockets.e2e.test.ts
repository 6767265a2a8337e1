/** Watches over WebSocket, whose clients say and take what they like. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startVictim, type Victim } from './server.ts';
import { tls, type Wire } from './wire.ts';

let server: Victim;
before(async () => {
  server = await startVictim({ requestLimits: { lingerMs: 500 } });
});
after(async () => assert.equal(await server.stop(), 0));

const configMaps = '/api/v1/namespaces/default/configmaps';
const headers =
  'host: a\r\nauthorization: Bearer admin\r\norigin: https://a\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
  'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
/** Of nothing, and without end: what is told is up to the client. */
const quiet = `GET ${configMaps}?watch=true&fieldSelector=metadata.name%3Dnone HTTP/1.1\r\n${headers}`;
const mask = [0, 0, 0, 0];
const ping = Buffer.from([0x89, 0x80 | 125, ...mask, ...Buffer.alloc(125)]);
const message = Buffer.from([0x82, 0x80 | 125, ...mask, ...Buffer.alloc(125)]);

const open = (count: number, reads = true): Promise<Wire[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const wire = await tls(server.port, 'http/1.1', reads);
      wire.write(quiet);
      if (reads) await wire.until(({ text }) => text.includes('101'));
      return wire;
    }),
  );

async function pour(wire: Wire, frame: Uint8Array, count: number): Promise<void> {
  const some = Buffer.concat(Array.from({ length: 100 }, () => frame));
  for (let index = 0; index < count && !wire.isClosed; index += 100) await wire.send(some);
}

const endings: readonly (readonly [name: string, end: (wire: Wire) => void])[] = [
  ['say farewell', (wire) => wire.write(Buffer.from([0x88, 0x80, ...mask]))],
  ['end their half', (wire) => wire.socket.end()],
  ['leave', (wire) => wire.destroy()],
  ['vanish', (wire) => wire.reset()],
  ['send a frame without its mask', (wire) => wire.write(Buffer.from([0x81, 0x01, 0x61]))],
  ['send a ping beyond its size', (wire) => wire.write(Buffer.from([0x89, 0xff, 0, 0, 0, 0, 0, 0, 1, 0, ...mask]))],
  ['send a message beyond any size', (wire) => wire.write(Buffer.from([0x82, ...Array(9).fill(0xff), ...mask]))],
];

for (const [name, end] of endings) {
  test(`watches over WebSocket end with clients that ${name}`, () =>
    server.survives(async () => {
      const wires = await open(20);
      for (const wire of wires) end(wire);
      await Promise.all(wires.map(({ closed }) => closed));
    }));
}

test('messages that nobody listens to are not collected, nor are the parts of one', () =>
  server.survives(async () => {
    const wires = await open(4);
    await Promise.all(wires.map((wire) => pour(wire, message, 100_000)));
    // 30 MB, in a message that never ends.
    const [first] = wires as [Wire];
    first.write(Buffer.from([0x02, 0xff, 0, 0, 0, 0, 0x01, 0xe0, 0, 0, ...mask]));
    await pour(first, Buffer.alloc(10_000), 2_900);
    for (const wire of wires) wire.destroy();
  }));

test('pings whose answers are not read are not answered without end', () =>
  server.survives(async () => {
    const wires = await open(4, false);
    await Promise.all(wires.map((wire) => pour(wire, ping, 200_000)));
    for (const wire of wires) wire.reset();
  }));
