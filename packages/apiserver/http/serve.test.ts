import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { after, before, test } from 'node:test';
import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { systemClock } from '@kubernode/machinery';
import { createPki } from '../pki/pki.ts';
import { startServed } from '../served-testing.ts';
import type { ApiServer } from '../server.ts';

let server: ApiServer;
const { serving } = createPki({ clock: systemClock });
const configMaps = '/api/v1/namespaces/default/configmaps';

before(async () => {
  server = await startServed({ tls: serving });
});
after(() => server.stop());

interface Answer {
  readonly code: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

function send(
  method: string,
  path: string,
  options: { body?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { body, headers } = options;
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = httpsRequest(
      server.url + path,
      { method, rejectUnauthorized: false, agent: false, headers: { ...type, ...headers } },
      (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => resolve({ code: answer.statusCode ?? 0, headers: answer.headers, text }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const answers: readonly [
  method: string,
  path: string,
  headers: Record<string, string>,
  code: number,
  type: string,
  text: RegExp,
][] = [
  ['GET', '/healthz', {}, 200, 'text/plain; charset=utf-8', /^ok$/],
  ['GET', '/version', {}, 200, 'application/json', /"minor": "37"/],
  ['GET', '/api', {}, 200, 'application/json', /"versions":\["v1"\]/],
  ['GET', '/apis/apps/v1', {}, 200, 'application/json', /"deployments\/scale"/],
  ['GET', `${configMaps}/none`, {}, 404, 'application/json', /"reason":"NotFound"/],
  ['GET', '/nowhere', {}, 404, 'text/plain; charset=utf-8', /^404 page not found/],
  ['GET', '/api/v1/%zz', {}, 400, 'application/json', /percent-encoded/],
  ['HEAD', configMaps, {}, 405, 'application/json', /^$/],
  ['GET', configMaps, { accept: 'text/html' }, 406, 'application/json', /only the following media types/],
  ['GET', configMaps, { accept: 'application/yaml' }, 200, 'application/yaml', /kind: ConfigMapList/],
  [
    'GET',
    configMaps,
    { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
    200,
    'application/json',
    /"kind":"Table"/,
  ],
  [
    'GET',
    configMaps,
    { accept: 'application/vnd.kubernetes.protobuf' },
    200,
    'application/vnd.kubernetes.protobuf',
    /^k8s\0/,
  ],
];

test('serve: each path has its code and type', async () => {
  for (const [method, path, headers, code, type, text] of answers) {
    const answer = await send(method, path, { headers });
    assert.equal(answer.code, code, `${method} ${path}`);
    assert.equal(answer.headers['content-type'], type, `${method} ${path}`);
    assert.match(answer.text, text, `${method} ${path}`);
  }
});

test("serve: what is sent wrong is the client's mistake", async () => {
  assert.equal((await send('POST', configMaps, { body: '{"metadata":' })).code, 400);
  assert.equal((await send('POST', configMaps, { body: '{}', headers: { 'content-type': 'text/plain' } })).code, 415);
  assert.equal((await send('POST', configMaps, { body: `"${'x'.repeat(4 << 20)}"` })).code, 413);
  assert.equal((await send('POST', configMaps, { body: '{"kind":"Pod","metadata":{"name":"a"}}' })).code, 400);
});

test('serve: all of many headers are read, over both protocols', async () => {
  const many = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`x-${index}`, 'y']));
  const headers = { ...many, accept: 'application/yaml' };
  assert.equal((await send('GET', configMaps, { headers })).headers['content-type'], 'application/yaml');
  const session = connect(server.url ?? '', { rejectUnauthorized: false, settings: { maxHeaderListSize: 1 << 20 } });
  const stream = session.request({ ':path': configMaps, ...headers }).resume();
  const [answer] = (await once(stream, 'response')) as [Record<string, unknown>];
  assert.equal(answer['content-type'], 'application/yaml');
  session.destroy();
});

test('serve: HTTP/2 carries a watch while it writes', async () => {
  const session = connect(server.url ?? '', { rejectUnauthorized: false });
  const watch = session.request({ ':path': `${configMaps}?watch=true` });
  await once(watch, 'response');
  const create = session.request({ ':path': configMaps, ':method': 'POST', 'content-type': 'application/json' });
  create.end(JSON.stringify({ metadata: { name: 'seen' } }));
  const [chunk] = (await once(watch, 'data')) as [Buffer];
  const event = JSON.parse(chunk.toString()) as { type: string; object: { metadata: { name: string } } };
  assert.equal(`${event.type} ${event.object.metadata.name}`, 'ADDED seen');
  watch.close();
  session.destroy();
});
