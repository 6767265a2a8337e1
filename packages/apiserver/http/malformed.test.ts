/** A method that Node's parser does not know is one like any other that nothing takes: it is answered in its turn. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connect } from 'node:tls';
import { systemClock } from '@kubernode/machinery';
import { createPki } from '../pki/pki.ts';
import { startServed } from '../served-testing.ts';
import type { ApiServer } from '../server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

let server: ApiServer;
before(async () => {
  server = await startServed({ tls: createPki({ clock: systemClock }).serving });
});
after(() => server.stop());

/** All that a connection is told that sends this, a packet each. */
async function toldOn(...packets: readonly string[]): Promise<string> {
  const { port } = new URL(server.url!);
  const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
  for (const packet of packets) socket.write(packet);
  let told = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) told += chunk.toString('latin1');
  return told;
}

const codesOf = (told: string) => told.match(/(?<=HTTP\/1\.1 )\d+/g)?.map(Number);
const ask = (method: string, path: string, more = '', body = '') =>
  `${method} ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${more}\r\n${body}`;
/** A version that is still to come: the answer waits for it. */
const slow = ask('GET', `${configMaps}?resourceVersion=999999&timeout=100ms`);
const invalid = ask('POST', configMaps, '', '{}');

const turns: readonly (readonly [what: string, packets: readonly string[], codes: readonly number[]])[] = [
  ['by themselves', [ask('FOO', '/api')], [405]],
  ['that begin like those that are known', [slow + ask('GETX', '/api')], [504, 405]],
  ['of RTSP', [slow + ask('PLAY', '/api')], [504, 405]],
  ['behind a body', [slow + invalid + ask('foo', '/api')], [504, 422, 405]],
  ['in packets of their own', [slow, slow, ask('FOO', '/api')], [504, 504, 405]],
  ['and the last on their connections', [slow + ask('FOO', '/api', '', '{}') + slow, ask('BAR', '/api')], [504, 405]],
  ['with two hosts', [ask('FOO', '/api', 'host: b\r\n')], [400]],
  ['with half a head', [`${slow}FOO /api HTTP/1.1\r\nhost`], [504, 400]],
  ['with a header that is none', [ask('FOO', '/api', 'b c\r\n')], [400]],
];

for (const [what, packets, codes] of turns) {
  test(`methods that Node does not know are answered after all that was asked before: ${what}`, async () => {
    assert.deepEqual(codesOf(await toldOn(...packets)), codes);
  });
}

test('refuseMalformed does nothing again that was done before it in the packet', async () => {
  const body = JSON.stringify({ metadata: { name: 'one' } });
  assert.deepEqual(codesOf(await toldOn(ask('POST', configMaps, '', body) + ask('FOO', '/api'))), [201, 405]);
  const remove = ask('DELETE', `${configMaps}/one`);
  const told = await toldOn(remove + ask('FOO', '/api', 'connection: upgrade\r\nupgrade: websocket\r\n'));
  assert.deepEqual(codesOf(told), [200, 405]);
});

test('refuseMalformed takes no end of a body for the beginning of a request', async () => {
  const told = await toldOn(ask('POST', configMaps, '', '{}G') + ask('ET', '/version'));
  assert.deepEqual(codesOf(told), [400, 400]);
});
