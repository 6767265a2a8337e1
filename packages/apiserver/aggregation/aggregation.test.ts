import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, test } from 'node:test';
import type { APIService } from '@kubernode/api/apiregistration/v1';
import { systemClock } from '@kubernode/machinery';
import { createPki } from '../pki/pki.ts';
import { startServed } from '../served-testing.ts';
import type { ApiServer } from '../server.ts';

const pki = createPki({ clock: systemClock, hosts: ['wardle.default.svc'] });
const proxyClient = pki.client('front-proxy-client');
const group = 'wardle.example.com';
const name = `v1.${group}`;
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const seen: { url: string; headers: IncomingMessage['headers']; certificate: string }[] = [];
let isWell = true;
let extension: Server;
let server: ApiServer;
let port = 0;

const documents: Readonly<Record<string, object>> = {
  [`/apis/${group}/v1`]: {
    kind: 'APIResourceList',
    groupVersion: `${group}/v1`,
    resources: [
      { name: 'flunders', singularName: 'flunder', namespaced: true, kind: 'Flunder', verbs: ['get', 'list', 'watch'] },
      { name: 'flunders/status', singularName: '', namespaced: true, kind: 'Flunder', verbs: ['get'] },
    ],
  },
  [`/apis/${group}/v1/flunders`]: { kind: 'FlunderList', apiVersion: `${group}/v1`, items: [] },
  '/openapi/v2': {
    paths: {
      [`/apis/${group}/v1/flunders`]: { get: { schema: { $ref: '#/definitions/com.example.wardle.v1.Flunder' } } },
      '/apis/': {},
    },
    definitions: { 'com.example.wardle.v1.Flunder': { type: 'object' } },
  },
  '/openapi/v3': {
    paths: { [`apis/${group}/v1`]: { serverRelativeURL: `/openapi/v3/apis/${group}/v1?hash=ABC` }, version: {} },
  },
  [`/openapi/v3/apis/${group}/v1`]: { openapi: '3.0.0', info: { title: 'wardle' } },
};

before(async () => {
  const { serving } = pki;
  const tls = { cert: serving.certificate, key: serving.key, requestCert: true, rejectUnauthorized: false };
  extension = createServer(tls, (request, response) => {
    const certificate = (request.socket as import('node:tls').TLSSocket).getPeerCertificate().subject?.CN as string;
    seen.push({ url: request.url!, headers: request.headers, certificate });
    if (request.url!.includes('watch=true')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"type":"ADDED"}\n');
      return;
    }
    const document = isWell ? documents[request.url!.split('?')[0]!] : undefined;
    const code = isWell ? (document ? 200 : 404) : 500;
    response
      .writeHead(code, { 'content-type': 'application/json' })
      .end(JSON.stringify(document ?? { kind: 'Status' }));
  });
  extension.on('upgrade', (request, socket: Socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${request.headers.upgrade}\r\n\r\n`,
    );
    socket.pipe(socket);
  });
  extension.listen(0, '127.0.0.1');
  await once(extension, 'listening');
  ({ port } = extension.address() as AddressInfo);
  server = await startServed({ proxyClient });
});
after(async () => {
  await server.stop();
  extension.closeAllConnections();
  extension.close();
});

const admin = () => server.transport('system:admin');

/** Waits until the condition Available has a reason. */
async function condition(wanted: string): Promise<string> {
  const query = { watch: true, fieldSelector: `metadata.name=${name}` };
  for await (const batch of admin().watch<APIService>({ method: 'GET', path: apiServices, query })) {
    for (const { object } of batch) {
      const { reason = '', status = '', message = '' } = object.status?.conditions?.[0] ?? {};
      if (reason === wanted) return `${status}: ${message}`;
    }
  }
  return 'the watch ended';
}

test('createAggregation tells why an extension server is not available, and answers 503', async () => {
  const spec = { group, version: 'v1', groupPriorityMinimum: 2000, versionPriority: 15 };
  const caBundle = Buffer.from(pki.clusterCa.certificate).toString('base64');
  const service = { namespace: 'default', name: 'wardle', port };
  await admin().request({
    method: 'POST',
    path: apiServices,
    body: { metadata: { name }, spec: { ...spec, caBundle, service } },
  });
  assert.equal(await condition('ServiceNotFound'), 'False: service/wardle in "default" is not present');
  const response = await fetch(`${server.url}/apis/${group}/v1/flunders`);
  assert.deepEqual([response.status, await response.text()], [503, 'service unavailable\n']);
  const groups = await admin().request<{ groups: { name: string }[] }>({ method: 'GET', path: '/apis' });
  assert.ok(groups.groups.some((each) => each.name === group));
});

test('createAggregation finds a server that works, and proxies to it as the user', async () => {
  const spec = { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] };
  const path = '/api/v1/namespaces/default/services';
  await admin().request({ method: 'POST', path, body: { metadata: { name: 'wardle' }, spec } });
  assert.equal(await condition('Passed'), 'True: all checks passed');
  const response = await fetch(`${server.url}/apis/${group}/v1/flunders?limit=5`, {
    headers: { authorization: 'Bearer secret', 'x-remote-user': 'somebody' },
  });
  assert.deepEqual(await response.json(), documents[`/apis/${group}/v1/flunders`]);
  const last = seen.findLast(({ url }) => url.includes('limit=5'))!;
  assert.equal(last.certificate, 'front-proxy-client');
  assert.equal(last.headers['x-remote-user'], 'system:admin');
  assert.equal(last.headers['x-remote-group'], 'system:masters, system:authenticated');
  assert.equal(last.headers['authorization'], undefined);
});

test('createAggregation answers the server itself with values, and failures with Statuses', async () => {
  const path = `/apis/${group}/v1/flunders`;
  assert.deepEqual(await admin().request({ method: 'GET', path }), documents[path]);
  await assert.rejects(
    admin().request({ method: 'GET', path: `/apis/${group}/v1/others` }),
    (error) => (error as { status: { kind: string } }).status.kind === 'Status',
  );
  const watching = admin().watch({ method: 'GET', path, query: { watch: true } });
  await assert.rejects(async () => {
    for await (const batch of watching) assert.fail(`an event: ${JSON.stringify(batch)}`);
  }, /only its own server can be watched/);
});

test('createAggregation carries watches and upgrades', async () => {
  const stop = new AbortController();
  const watch = await fetch(`${server.url}/apis/${group}/v1/flunders?watch=true`, { signal: stop.signal });
  const { value } = await watch.body!.getReader().read();
  assert.equal(Buffer.from(value!).toString(), '{"type":"ADDED"}\n');
  stop.abort();
  const request = httpRequest(new URL(`${server.url}/apis/${group}/v1/namespaces/a/flunders/b/exec`), {
    headers: { connection: 'Upgrade', upgrade: 'websocket' },
  });
  request.end();
  const [, socket] = (await once(request, 'upgrade')) as [IncomingMessage, Socket];
  socket.write('echo');
  const [echo] = (await once(socket, 'data')) as [Buffer];
  assert.equal(echo.toString(), 'echo');
  socket.destroy();
});

test('createAggregation carries no CONNECT', async () => {
  const path = `/apis/${group}/v1/flunders`;
  const { hostname, port: ownPort } = new URL(server.url!);
  const asked = { hostname, port: ownPort, method: 'CONNECT', path, headers: { host: hostname } };
  const request = httpRequest(asked).end();
  const [answer, socket] = (await once(request, 'connect')) as [IncomingMessage, Socket];
  assert.equal(answer.statusCode, 405);
  socket.destroy();
});

test('discovery and OpenAPI include what the extension server serves', async () => {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const get = async (path: string, headers = {}) => (await fetch(server.url + path, { headers })).json();
  let version: { freshness: string; resources?: { resource: string; subresources?: object[] }[] } | undefined;
  while (version?.freshness !== 'Current') {
    const { items } = (await get('/apis', { accept })) as {
      items: { metadata: { name: string }; versions: (typeof version & {})[] }[];
    };
    version = items.find(({ metadata }) => metadata.name === group)?.versions[0];
  }
  assert.equal(version.resources?.[0]?.resource, 'flunders');
  assert.equal(version.resources[0].subresources?.length, 1);
  let index: { paths: Record<string, { serverRelativeURL: string }> };
  do index = (await get('/openapi/v3')) as typeof index;
  while (!index.paths[`apis/${group}/v1`]);
  const address = index.paths[`apis/${group}/v1`]!.serverRelativeURL;
  assert.equal(address, `/openapi/v3/apis/${group}/v1?hash=ABC`);
  assert.deepEqual(await get(address), documents[`/openapi/v3/apis/${group}/v1`]);
  const whole = (await get('/openapi/v2')) as { paths: object; definitions: object };
  assert.ok(`/apis/${group}/v1/flunders` in whole.paths);
  assert.ok('com.example.wardle.v1.Flunder' in whole.definitions);
});

test('createAggregation calls an APIService local that leads nowhere any more', async () => {
  const path = `${apiServices}/${name}`;
  const contentType = 'application/merge-patch+json';
  const { spec } = await admin().request<APIService>({ method: 'GET', path });
  const local = { service: null, caBundle: null };
  await admin().request({ method: 'PATCH', path, contentType, body: { spec: local } });
  assert.equal(await condition('Local'), 'True: Local APIServices are always available');
  await admin().request({ method: 'PATCH', path, contentType, body: { spec } });
  assert.equal(await condition('Passed'), 'True: all checks passed');
});

test('createAggregation forgets a server whose APIService is deleted', async () => {
  isWell = false;
  await admin().request({ method: 'DELETE', path: `${apiServices}/${name}` });
  const response = await fetch(`${server.url}/apis/${group}/v1/flunders`);
  assert.equal(response.status, 404);
});
