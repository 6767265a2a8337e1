import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { seededRandom, silentLogger, systemClock } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { startApiServer } from '../server.ts';

test('writeWatch ends its answer once, also where its events have no form of their own', async (t) => {
  const listen = { host: '127.0.0.1', port: 0 };
  const options = { store: memoryStore(), clock: systemClock, log: silentLogger, random: seededRandom(1), listen };
  const server = await startApiServer(options);
  t.after(() => server.stop());
  const admin = server.transport('system:admin');
  await admin.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'default' } } });
  const { hostname, port } = new URL(server.url!);
  const socket = connect(Number(port), hostname);
  const get = (path: string, ...headers: string[]) =>
    socket.write([`GET ${path} HTTP/1.1`, 'Host: test', ...headers, '', ''].join('\r\n'));
  get(
    '/api/v1/namespaces?watch=true&timeoutSeconds=1',
    'Accept: application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  );
  get('/version', 'Connection: close');
  const answers = (await text(socket)).split('HTTP/1.1 200 OK\r\n').slice(1);
  const bodies = answers.map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4));
  assert.equal(bodies[0], '0\r\n\r\n');
  assert.match(bodies[1] ?? '', /"gitVersion"/);
});
