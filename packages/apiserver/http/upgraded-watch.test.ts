/** Watches that come as requests to upgrade: over WebSocket an event a message, else as if no upgrade had been asked for. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { startServed } from '../served-testing.ts';
import type { ApiServer } from '../server.ts';
import { UnheardClient } from './websocket.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const key = 'dGhlIHNhbXBsZSBub25jZQ==';
const webSocket = `connection: Upgrade\r\nupgrade: WebSocket\r\nsec-websocket-key: ${key}\r\n`;
const version = 'sec-websocket-version: 13\r\n';
const origin = 'origin: https://a\r\n';
let server: ApiServer;

before(async () => {
  server = await startServed();
  const body = { metadata: { name: 'a' }, data: { a: 'b' } };
  await server.transport('system:admin').request({ method: 'POST', path: configMaps, body });
});
after(() => server.stop());

/** What is told from the request to the end of the connection; once the first event is there, `last` is said. */
async function watched(headers: string, last?: Uint8Array): Promise<Buffer> {
  const { port } = new URL(server.url!);
  const socket = connect(Number(port), '127.0.0.1');
  const query = 'watch=true&fieldSelector=metadata.name%3Da';
  socket.write(`GET ${configMaps}?${query} HTTP/1.1\r\nhost: a\r\n${headers}\r\n`);
  let told = Buffer.alloc(0);
  let isSaid = false;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    told = Buffer.concat([told, chunk]);
    if (!told.includes('ADDED') || isSaid) continue;
    isSaid = true;
    if (last) socket.write(last);
    else socket.end();
  }
  return told;
}

const farewell = Buffer.from([0x88, 0x80, 1, 2, 3, 4]);
const ping = Buffer.from([0x89, 0x82, 1, 1, 1, 1, 0x69, 0x68]);

test('watchOverWebSocket tells each event in a message, answers pings, and ends with its client', async () => {
  const data = Buffer.from([0x82, 0x83, 1, 2, 3, 4, 5, 6, 7]);
  const told = await watched(webSocket + version + origin, Buffer.concat([data, ping, farewell]));
  const end = told.indexOf('\r\n\r\n') + 4;
  const accept = 'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=';
  const head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${accept}\r\n\r\n`;
  assert.equal(told.toString('latin1', 0, end), head);
  const [kind, short] = told.subarray(end);
  assert.deepEqual([kind, short], [0x81, 126]);
  const message = told.subarray(end + 4, end + 4 + told.readUInt16BE(end + 2));
  assert.equal((JSON.parse(message.toString()) as { readonly type: string }).type, 'ADDED');
  const rest = [...told.subarray(end + 4 + message.length)];
  assert.deepEqual(rest, [0x8a, 2, 0x68, 0x69, 0x88, 2, 0x03, 0xe8]);
});

test('watchOverWebSocket tells protobuf without lengths, in binary', async () => {
  const protocols = 'sec-websocket-protocol: base64url.bearer.authorization.k8s.io.eA, x\r\n';
  const accept = `accept: application/vnd.kubernetes.protobuf\r\n${protocols}`;
  const told = await watched(webSocket + version + origin + accept, farewell);
  const end = told.indexOf('\r\n\r\n') + 4;
  assert.match(told.toString('latin1', 0, end), /\r\nSec-WebSocket-Protocol: x\r\n/);
  assert.equal(told[end], 0x82);
  assert.equal(told.toString('latin1', end + 4, end + 11), '\n\x05ADDED');
});

const refused: readonly (readonly [name: string, headers: string, answer: RegExp])[] = [
  ['without a key', webSocket.replace(/sec.*\r\n/, '') + version + origin, /^HTTP\/1.1 400 .*\r\n\r\nmismatch chall/],
  ['of another version', `${webSocket}${origin}`, /^HTTP\/1.1 400 .*\r\nSec-WebSocket-Version: 13\r\n/],
  ['from nowhere', webSocket + version, /^HTTP\/1.1 403 Forbidden\r\n\r\n$/],
  ['from null', `${webSocket}${version}origin: null\r\n`, /^HTTP\/1.1 403 Forbidden\r\n\r\n$/],
  [
    'of many protocols',
    `${webSocket}${version}${origin}sec-websocket-protocol: a, b\r\n`,
    /^HTTP\/1.1 400 .*\r\n\r\n$/,
  ],
  ['of two hosts', `${webSocket}${version}${origin}host: b\r\n`, /^HTTP\/1.1 400 .*\r\n\r\n400 Bad Request$/s],
];
for (const [name, headers, answer] of refused) {
  test(`watchOverWebSocket refuses a client ${name}`, async () =>
    assert.match((await watched(headers)).toString('latin1'), answer));
}

test('answerUpgrade tells a watch of HTTP to whom it cannot switch with', async () => {
  const told = await watched('connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AA\r\n');
  assert.match(
    told.toString(),
    /^HTTP\/1\.1 200 OK\r\n.*transfer-encoding: chunked\r\n\r\n[0-9a-f]+\r\n\{"type":"ADDED"/s,
  );
});

test('UnheardClient holds next to nothing of what it is told, in whatever pieces', () => {
  const answers: Buffer[] = [];
  const socket = { writable: true, writableNeedDrain: false, write: (bytes: Buffer) => void answers.push(bytes) };
  const ends: number[] = [];
  const client = new UnheardClient(socket as never, () => void ends.push(1));
  const long = Buffer.alloc(14 + 100_000);
  long.set([0x82, 0xff, 0, 0, 0, 0, 0, 0x01, 0x86, 0xa0]);
  const said = Buffer.concat([long, ping, long, ping]);
  for (const byte of said) client.take(Buffer.from([byte]));
  assert.deepEqual(Buffer.concat(answers).toString('latin1'), '\x8a\x02hi\x8a\x02hi');
  assert.equal(ends.length, 0);
  const wrong: readonly (readonly number[])[] = [
    [0x82, 0x01],
    [0x89, 0xfe, 1, 0, 0, 0, 0, 0],
    [0x82, 0xff, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  ];
  for (const bytes of wrong) client.take(Buffer.from(bytes));
  assert.equal(ends.length, wrong.length);
});
