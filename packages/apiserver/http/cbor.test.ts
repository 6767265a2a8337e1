/** CBOR on the wire (KEP-4222), with its feature gate and without. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decodeCbor, encodeCbor } from '@kubernode/api';
import { startServed } from '../served-testing.ts';
import type { ApiServer } from '../server.ts';

const path = '/api/v1/namespaces/default/configmaps';
let on: ApiServer;
let off: ApiServer;

async function start(isOn: boolean): Promise<ApiServer> {
  const server = await startServed({ featureGates: { CBORServingAndStorage: isOn } });
  const admin = server.transport('system:admin');
  await admin.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'default' } } });
  return server;
}

before(async () => {
  [on, off] = await Promise.all([start(true), start(false)]);
});
after(() => Promise.all([on.stop(), off.stop()]));

const cbor = 'application/cbor';
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { k: 'v' } };

async function send(server: ApiServer, method: string, target: string, options: { type?: string; body?: Uint8Array }) {
  const headers = { accept: cbor, ...(options.type ? { 'content-type': options.type } : {}) };
  const response = await fetch(server.url + target, {
    method,
    headers,
    ...(options.body ? { body: Buffer.from(options.body) } : {}),
  });
  return {
    code: response.status,
    type: response.headers.get('content-type'),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

test('CBOR: what is created in it is answered, read, listed and watched in it', async () => {
  const created = await send(on, 'POST', path, { type: cbor, body: encodeCbor(object, undefined) });
  assert.deepEqual([created.code, created.type], [201, cbor]);
  assert.equal(created.bytes.subarray(0, 3).toString('hex'), 'd9d9f7');
  assert.deepEqual((decodeCbor(created.bytes) as typeof object).data, object.data);
  const listed = decodeCbor((await send(on, 'GET', path, {})).bytes) as { kind: string; items: (typeof object)[] };
  assert.deepEqual([listed.kind, listed.items[0]?.data], ['ConfigMapList', object.data]);
  const watched = await send(on, 'GET', `${path}?watch=1&timeoutSeconds=1`, {});
  assert.equal(watched.type, 'application/cbor-seq');
  const event = decodeCbor(watched.bytes) as { type: string; object: typeof object };
  assert.deepEqual([event.type, event.object.kind, event.object.data], ['ADDED', 'ConfigMap', object.data]);
});

test('CBOR: server-side apply reads it, and refuses repeated keys', async () => {
  const type = 'application/apply-patch+cbor';
  const wanted = { ...object, metadata: { name: 'applied' } };
  const target = `${path}/applied?fieldManager=m`;
  assert.equal((await send(on, 'PATCH', target, { type, body: encodeCbor(wanted, undefined) })).code, 201);
  const repeated = Buffer.from('d9d9f7a2416101416102', 'hex');
  assert.equal((await send(on, 'PATCH', target, { type, body: repeated })).code, 400);
});

test('CBOR: server-side apply reads a Scale in it', async () => {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
  await on.transport('system:admin').request({ method: 'POST', path: deployments, body });
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 3 } };
  const applied = await send(on, 'PATCH', `${deployments}/web/scale?fieldManager=m&force=true`, {
    type: 'application/apply-patch+cbor',
    body: encodeCbor(scale, undefined),
  });
  const { spec: after } = decodeCbor(applied.bytes) as typeof scale;
  assert.deepEqual([applied.code, after], [200, { replicas: 3 }]);
});

test('CBOR: a Table is not served in it, metadata are', async () => {
  const as = (kind: string) =>
    fetch(`${on.url}${path}`, { headers: { accept: `${cbor};as=${kind};v=v1;g=meta.k8s.io` } });
  assert.equal((await as('Table')).status, 406);
  assert.equal((await as('PartialObjectMetadataList')).status, 200);
});

test('CBOR: without its feature gate it is no format at all', async () => {
  const body = encodeCbor(object, undefined);
  assert.equal((await send(off, 'GET', path, {})).code, 406);
  const post = (type: string, method: string, target: string) =>
    fetch(off.url + target, { method, headers: { 'content-type': type }, body: Buffer.from(body) });
  assert.equal((await post(cbor, 'POST', path)).status, 415);
  assert.equal((await post('application/apply-patch+cbor', 'PATCH', `${path}/c?fieldManager=m`)).status, 415);
});
