import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { startApiServer, type ApiServer } from './server.ts';

let server: ApiServer;

before(async () => {
  server = await startApiServer({
    store: memoryStore(),
    clock: new FakeClock(Date.parse('2026-11-21T08:07:20Z')),
    log: silentLogger,
    random: seededRandom(1),
    flags: new Map([
      ['b', 'true'],
      ['a', '[x,y]'],
    ]),
    listen: { host: '127.0.0.1', port: 0 },
  });
});
after(() => server.stop());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(server.url + path, { headers, method, redirect: 'manual' });

test('statusz is text, an object for who asks for its kind, and nothing else', async () => {
  const text = await (await get('/statusz')).text();
  assert.match(
    text,
    /^\napiserver statusz\nWarning: .*\n\nStarted: Sat Nov 21 08:07:20 UTC 2026\nUp: 0 hr 00 min 00 sec\n/,
  );
  const accept = 'application/json;v=v1beta1;g=config.k8s.io;as=Statusz';
  const response = await get('/statusz', { accept });
  assert.equal(response.headers.get('content-type'), 'application/json;g=config.k8s.io;v=v1beta1;as=Statusz');
  const { kind, metadata, startTime, emulationVersion } = (await response.json()) as Record<string, unknown>;
  assert.deepEqual([kind, metadata, startTime], ['Statusz', { name: 'apiserver' }, '2026-11-21T08:07:20Z']);
  assert.equal(emulationVersion, '1.37');
  assert.equal((await get('/statusz', { accept: 'application/json' })).status, 406);
  assert.equal((await get('/statusz', { accept: accept.replace('Statusz', 'Flagz') })).status, 406);
});

test('flagz tells every flag, sorted by name', async () => {
  assert.match(await (await get('/flagz')).text(), /\na:\[x,y\]\nb:true\n$/);
  const old = await get('/flagz', { accept: 'application/json;v=v1alpha1;g=config.k8s.io;as=Flagz' });
  assert.match(old.headers.get('warning') ?? '', /flagz endpoint is deprecated/);
  assert.deepEqual(((await old.json()) as { flags: object }).flags, { a: '[x,y]', b: 'true' });
});

test('/debug refuses profiles by name, and /configz is nobody', async () => {
  assert.equal((await get('/debug/pprof/')).status, 200);
  const heap = await get('/debug/pprof/heap');
  assert.deepEqual([heap.status, (await heap.text()).includes('"heap" is not served')], [404, true]);
  assert.equal((await get('/debug/flags/v')).status, 406);
  assert.equal((await get('/configz')).status, 404);
});

test('/openapi/v3 leads to documents that may be kept for good', async () => {
  const index = (await (await get('/openapi/v3')).json()) as { paths: Record<string, { serverRelativeURL: string }> };
  const address = index.paths['apis/apps/v1']?.serverRelativeURL ?? '';
  const document = await get(address);
  assert.equal(document.headers.get('cache-control'), 'public, immutable');
  assert.ok(document.headers.get('expires'));
  const etag = document.headers.get('etag') ?? '';
  assert.equal(((await document.json()) as { openapi: string }).openapi, '3.0.0');
  assert.equal((await get(address, { 'if-none-match': etag })).status, 304);
  const other = await get('/openapi/v3/apis/apps/v1?hash=other');
  assert.deepEqual([other.status, other.headers.get('location')], [301, address]);
  assert.equal((await get('/openapi/v3/apis/apps/v1', { accept: 'text/html' })).status, 406);
  const proto = await get(address, { accept: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf' });
  assert.equal(
    proto.headers.get('content-type'),
    'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
    'the media type is answered with a dot',
  );
});

test('discovery: documents of all groups come in each encoding, with one tag', async () => {
  const type = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const tags = new Set<string | null>();
  for (const encoding of ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']) {
    const response = await get('/apis', { accept: `${encoding};${type}` });
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, `${encoding};${type}`]);
    tags.add(response.headers.get('etag'));
  }
  assert.equal(tags.size, 1);
  assert.equal((await get('/apis', { accept: `application/json;${type.replace('v2;', 'v2beta1;')}` })).status, 406);
});

test('DELETE /metrics begins to count anew', async () => {
  const total = async () =>
    /apiserver_request_total\{[^}]*"\/version"[^}]*\} (\d+)/.exec(await (await get('/metrics')).text())?.[1];
  await get('/version');
  assert.equal(await total(), '1');
  assert.equal(await (await get('/metrics', {}, 'DELETE')).text(), 'metrics reset\n');
  assert.equal(await total(), '0');
  await get('/version');
  assert.equal(await total(), '1');
});
