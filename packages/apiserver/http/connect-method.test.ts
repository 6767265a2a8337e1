/** CONNECT is a method like any other that no path takes: it is refused as upstream does, not by the end of the connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as http2Connect } from 'node:http2';
import { after, before, test } from 'node:test';
import { connect } from 'node:tls';
import { systemClock } from '@kubernode/machinery';
import { createPki } from '../pki/pki.ts';
import { startServed } from '../served-testing.ts';
import type { ApiServer } from '../server.ts';

let server: ApiServer;
before(async () => {
  server = await startServed({ tls: createPki({ clock: systemClock }).serving });
});
after(() => server.stop());

/** All that a connection is told that sends this. */
async function toldOn(text: string): Promise<string> {
  const { port } = new URL(server.url!);
  const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
  socket.write(text);
  let told = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) told += chunk.toString('latin1');
  return told;
}

const notAllowed = /^HTTP\/1\.1 405 Method Not Allowed\r\n.*"reason":"MethodNotAllowed"/s;
const notFound = /^HTTP\/1\.1 404 Not Found\r\n.*404 page not found\n$/s;
const refused: readonly (readonly [target: string, answer: RegExp])[] = [
  ['/version', notAllowed],
  ['/api/v1/namespaces/default/pods', notAllowed],
  ['/api/v1/namespaces/default/pods/a/proxy/', notAllowed],
  ['example.com:443', notFound],
  ['[::1]:443', notFound],
];
for (const [target, answer] of refused) {
  test(`CONNECT ${target} is refused`, async () => {
    const asked = `CONNECT ${target} HTTP/1.1\r\nhost: a\r\n\r\n`;
    const told = await toldOn(`${asked}GET /version HTTP/1.1\r\nhost: a\r\n\r\n`);
    assert.match(told, answer);
    assert.equal(told.match(/HTTP\/1\.1 /g)?.length, 1, 'what follows may be meant for the host');
  });
}

test('CONNECT and upgrades are answered after what was asked before them', async () => {
  const configMaps = '/api/v1/namespaces/default/configmaps';
  // A version that is still to come: the answer waits for it.
  const slow = `GET ${configMaps}?resourceVersion=999999&timeout=100ms HTTP/1.1\r\nhost: a\r\n\r\n`;
  const upgrade = 'host: a\r\nconnection: upgrade\r\nupgrade: tea\r\n\r\n';
  for (const last of ['CONNECT /version HTTP/1.1\r\nhost: a\r\n\r\n', `GET /nothing HTTP/1.1\r\n${upgrade}`]) {
    const codes = (await toldOn(`${slow}${slow}${last}`)).match(/(?<=HTTP\/1\.1 )\d+/g);
    assert.deepEqual(codes, ['504', '504', last.startsWith('C') ? '405' : '404']);
  }
});

test('CONNECT without one clear host is refused as any request is', async () => {
  assert.match(await toldOn('CONNECT a:1 HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n'), /^HTTP\/1\.1 400 Bad Request\r\n/);
});

test('CONNECT over HTTP/2 is refused, and the connection goes on', async (t) => {
  const session = http2Connect(server.url!, { rejectUnauthorized: false });
  t.after(() => session.destroy());
  const ask = async (headers: Record<string, string>) => {
    const stream = session.request(headers);
    const [{ ':status': status }] = (await once(stream, 'response')) as [{ readonly ':status': number }];
    let text = '';
    for await (const chunk of stream.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
    return { status, text };
  };
  const refusal = await ask({ ':method': 'CONNECT', ':authority': 'example.com:443' });
  assert.deepEqual(refusal, { status: 404, text: '404 page not found\n' });
  assert.equal((await ask({ ':path': '/version' })).status, 200);
});
