/** What comes behind a long answer that is read slowly: it waits, whatever it is, and does not hold up that answer. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { systemClock } from '@kubernode/machinery';
import { createPki } from '../pki/pki.ts';
import { requestLimitsDefault } from '../request-limits.ts';
import { startServed } from '../served-testing.ts';
import type { ApiServer } from '../server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

let server: ApiServer;
before(async () => {
  const requestLimits = { ...requestLimitsDefault, requestTimeoutMs: 3_000, lingerMs: 500 };
  server = await startServed({ tls: createPki({ clock: systemClock }).serving, requestLimits });
  const admin = server.transport('system:admin');
  for (let index = 0; index < 12; index += 1) {
    // So that it is long when it is compressed.
    const body = { metadata: { name: `c-${index}` }, data: { value: randomBytes(600_000).toString('base64') } };
    await admin.request({ method: 'POST', path: configMaps, body });
  }
});
after(() => server.stop());

const ask = (method: string, path: string, more = '') => `${method} ${path} HTTP/1.1\r\nhost: a\r\n${more}\r\n`;
const upgrade = 'connection: upgrade\r\nupgrade: tea\r\n';
const type = 'content-type: application/json\r\n';
const chunks = `${type}transfer-encoding: chunked\r\n`;

/** Says this, a packet each, and reads nothing meanwhile. */
async function unread(...packets: readonly string[]): Promise<TLSSocket> {
  const { port } = new URL(server.url!);
  const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  for (const packet of packets) {
    socket.write(packet);
    // The answer to the first fills the connection meanwhile.
    await setTimeout(packet === packets[0] ? 500 : 50);
  }
  return socket;
}

/** All that it is told from now on. */
async function toldTo(socket: TLSSocket): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of socket as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString('latin1');
}

const codesOf = (told: string) => told.match(/(?<=HTTP\/1\.1 )\d+/g)?.map(Number);
const packed = ask('GET', configMaps, 'accept-encoding: gzip\r\n');
const version = ask('GET', '/version');
const more = 'x'.repeat(3_000);

const behind: readonly (readonly [what: string, packets: readonly string[], codes: readonly number[]])[] = [
  ['an upgrade', [ask('GET', '/version', upgrade)], [200, 200]],
  ['an upgrade in the end', [version + ask('GET', '/version', upgrade), more], [200, 200, 200]],
  [
    'an upgrade with a body',
    [version + ask('POST', configMaps, `${type}${upgrade}content-length: 2\r\n`), '{}'],
    [200, 200, 422],
  ],
  ['what is no HTTP', [`${version}junk\r\n\r\n`, more, more], [200, 200, 400]],
  ['a method that nobody knows', [version + ask('FOO', '/version'), more, more], [200, 200, 405]],
  ['a body that is none', [`${ask('POST', configMaps, chunks)}2\r\n{}\r\nzz\r\n`, more, more], [200, 400]],
];

for (const [what, packets, codes] of behind) {
  test(`serve answers a list that is read slowly to its end, and then ${what}`, { timeout: 20_000 }, async () => {
    const told = await toldTo(await unread(packed, ...packets));
    assert.deepEqual(codesOf(told), codes);
    assert.ok(told.includes('\r\n0\r\n\r\nHTTP/1.1 '), 'the list has its end');
  });
}

test('serve says nothing within an answer of what is wrong within its request', { timeout: 20_000 }, async () => {
  const watch = ask('GET', `${configMaps}?watch=true&fieldSelector=metadata.name%3Dnone`, chunks);
  assert.deepEqual(codesOf(await toldTo(await unread(watch, 'zz\r\n'))), [200]);
});
