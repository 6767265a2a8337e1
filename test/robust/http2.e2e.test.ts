/** Floods and lies of HTTP/2, one connection each: the server has enough of it, and others do not notice. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  asking,
  flood,
  frame,
  framesOf,
  headerBlock,
  http2,
  literal,
  opening,
  request,
  setting,
  told,
  type,
  uint32,
} from './frames.ts';
import { startVictim, type Victim } from './server.ts';
import { tls } from './wire.ts';

let server: Victim;
before(async () => {
  server = await startVictim({ requestLimits: { lingerMs: 500, requestTimeoutMs: 3_000 } });
});
after(async () => assert.equal(await server.stop(), 0));

const configMaps = '/api/v1/namespaces/default/configmaps';
const list = asking(configMaps);
const watch = asking(`${configMaps}?watch=true`);
const version = asking('/version');
const creation = asking(configMaps, 'POST');
/** The id of a client's request by its number. */
const id = (index: number) => 2 * index + 1;
const manySettings = Buffer.concat(Array.from({ length: 2_700 }, (_, index) => setting(100 + index, 1)));
const smallHeader = Buffer.concat([Buffer.from([0]), literal('x'), literal('')]);
/** Has `x: yyy…` remembered, as number 62. */
const remembered = Buffer.concat([Buffer.from([0x40]), literal('x'), literal('y'.repeat(4_000))]);

/** The server ends the connection before all of it is sent and answered. */
const ended: readonly (readonly [
  name: string,
  count: number,
  make: (index: number) => Uint8Array,
  first?: Uint8Array,
])[] = [
  [
    'requests that are reset at once (CVE-2023-44487)',
    20_000,
    (index) => Buffer.concat([request(id(index), list), frame(type.reset, 0, id(index), uint32(8))]),
  ],
  [
    'requests that make the server reset them (CVE-2025-8671)',
    20_000,
    (index) => Buffer.concat([request(id(index), list), frame(type.window, 0, id(index), uint32(0))]),
  ],
  ['more requests than may be open', 20_000, (index) => request(id(index), watch)],
  ['requests without their bodies', 20_000, (index) => opening(id(index), creation)],
  [
    'requests with two paths',
    20_000,
    (index) => request(id(index), Buffer.concat([version, headerBlock({ ':path': '/' })])),
  ],
  [
    'a head without end',
    50_000,
    (index) => frame(type.continuation, 0, 1, headerBlock({ [`x${index}`]: 'y'.repeat(1_000) })),
    frame(type.headers, 1, 1, version),
  ],
  ['a head of nothing without end', 50_000, () => frame(type.continuation, 0, 1), frame(type.headers, 1, 1, version)],
  ['a body of nothing without end', 200_000, () => frame(type.data, 0, 1), opening(1, creation)],
  ['settings', 200_000, (index) => frame(type.settings, 0, 0, setting(4, 65_535 + (index % 2)))],
  ['thousands of settings at once', 200, () => frame(type.settings, 0, 0, manySettings)],
  [
    'priorities',
    200_000,
    (index) => frame(type.priority, 0, id(index), Buffer.concat([uint32(index), Buffer.from([1])])),
  ],
  ['frames of no kind', 200_000, () => frame(77, 0, 0, Buffer.alloc(100))],
  ['a frame beyond its size', 1, () => frame(type.data, 0, 1, Buffer.alloc(1 << 20))],
  ['a request of the server', 1, () => request(2, version)],
  ['a request of nobody', 1, () => request(0, version)],
  ['headers that cannot be unpacked', 1, () => request(1, Buffer.alloc(7, 0xff))],
];

for (const [name, count, make, first] of ended) {
  test(`${name}: the connection is ended`, () =>
    server.survives(async () => {
      const wire = await http2(server.port);
      if (first) wire.write(first);
      await flood(wire, count, make);
      await wire.closed;
    }));
}

/** Its client may go on, and does. */
const borne: readonly (readonly [
  name: string,
  count: number,
  make: (index: number) => Uint8Array,
  settings?: Uint8Array,
])[] = [
  ['windows a byte larger', 200_000, () => frame(type.window, 0, 0, uint32(1))],
  ['farewells', 20_000, () => frame(type.goaway, 0, 0, Buffer.alloc(8))],
  [
    'thousands of headers',
    100,
    (index) => request(id(index), Buffer.concat([version, ...Array(3_000).fill(smallHeader)])),
  ],
  [
    'heads of 64 MB in 16 KB',
    90,
    (index) => request(id(index), Buffer.concat([version, index === 0 ? remembered : Buffer.alloc(16_000, 0x80 | 62)])),
  ],
  ['answers that may not be sent', 90, (index) => request(id(index), asking('/openapi/v2')), setting(4, 0)],
  ['watches that may not be told', 90, (index) => request(id(index), watch), setting(4, 0)],
  ['bodies that do not come', 90, (index) => opening(id(index), creation)],
];

for (const [name, count, make, settings] of borne) {
  test(`${name}: others are served meanwhile`, () =>
    server.survives(async () => {
      const wire = await http2(server.port, settings);
      await flood(wire, count, make);
      wire.write(frame(type.ping, 0, 0, Buffer.alloc(8)));
      await wire.until(() => told(wire, type.ping) > 0);
      wire.destroy();
    }, 256 << 20));
}

test('answers that are never taken are cut when their time is up', () =>
  server.survives(async () => {
    const wire = await http2(server.port, setting(4, 0));
    for (let index = 0; index < 20; index += 1) wire.write(request(id(index), asking('/openapi/v2')));
    await wire.until(() => told(wire, type.reset) === 20);
    assert.equal(wire.isClosed, false);
    wire.destroy();
  }, 256 << 20));

test('a request that is refused before its body came has the whole answer before it is broken off', async () => {
  const wire = await http2(server.port);
  wire.write(opening(1, asking('/apis/none.example.com/v1/things', 'POST')));
  await wire.until(() => told(wire, type.reset) === 1);
  const answer = [...framesOf(wire)].filter(({ kind }) => kind === type.data || kind === type.reset);
  assert.deepEqual(
    answer.map(({ kind, endsStream }) => (kind === type.reset ? 'reset' : endsStream)).slice(-2),
    [true, 'reset'],
    'Go takes a reset before the end for a failure',
  );
  wire.destroy();
});

test('pings whose answers are not read are not collected', () =>
  server.survives(async () => {
    const wire = await http2(server.port);
    wire.socket.pause();
    await flood(wire, 1_000_000, () => frame(type.ping, 0, 0, Buffer.alloc(8)));
    wire.socket.resume();
    await wire.closed;
  }));

test('what is no HTTP/2 on such a connection ends it', async () => {
  const wire = await tls(server.port, 'h2');
  wire.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  await wire.closed;
});

test('clients that nobody knows keep no connection', async () => {
  const stranger = headerBlock({ ':method': 'GET', ':scheme': 'https', ':authority': 'a', ':path': '/version' });
  const wrong = Buffer.concat([stranger, headerBlock({ authorization: 'Bearer wrong' })]);
  for (const block of [stranger, wrong]) {
    const wire = await http2(server.port);
    wire.write(request(1, block));
    await wire.closed;
    assert.equal(told(wire, type.headers), 1);
    assert.notEqual(told(wire, type.goaway), 0);
  }
});
