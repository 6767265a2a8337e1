import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isReason } from '@kubernode/api';
import type { ConfigMap } from '@kubernode/api/core/v1';
import { startSecured } from './secured-testing.ts';

const path = '/api/v1/namespaces/default/configmaps';
let secured: Awaited<ReturnType<typeof startSecured>>;

before(async () => {
  secured = await startSecured();
  const { create } = secured;
  for (const name of ['used', 'other']) await create(path, { metadata: { name }, data: { of: name } });
  await create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  await create('/api/v1/namespaces/default/pods', {
    metadata: { name: 'p' },
    spec: {
      nodeName: 'n1',
      containers: [{ name: 'c', image: 'i', envFrom: [{ configMapRef: { name: 'used' } }] }],
    },
  });
});
after(() => secured.server.stop());

test('a node lists and watches what its pod uses, by name', async () => {
  const node = secured.server.transport('system:node:n1');
  const query = { fieldSelector: 'metadata.name=used' };
  const list = await node.request<{ items: ConfigMap[] }>({ method: 'GET', path, query });
  assert.deepEqual(
    list.items.map(({ metadata }) => metadata.name),
    ['used'],
  );
  const watch = node.watch<ConfigMap>({ method: 'GET', path, query: { ...query, watch: 'true' } });
  for await (const events of watch) {
    assert.deepEqual(
      events.map(({ type, object }) => [type, object.metadata.name]),
      [['ADDED', 'used']],
    );
    break;
  }
});

test('a node reads no other ConfigMap, and not all of them', async () => {
  const node = secured.server.transport('system:node:n1');
  for (const query of [{ fieldSelector: 'metadata.name=other' }, {}, { fieldSelector: 'metadata.name!=used' }]) {
    await assert.rejects(node.request({ method: 'GET', path, query }), (error) => isReason(error, 'Forbidden'));
  }
});

test('a node gets around the name neither by path nor by query', async () => {
  const node = secured.server.transport('system:node:n1');
  const { create } = secured;
  await create('/api/v1/namespaces', { metadata: { name: 'elsewhere' } });
  await create('/api/v1/namespaces/elsewhere/configmaps', { metadata: { name: 'used' }, data: { of: 'elsewhere' } });
  const used = 'metadata.name=used';
  for (const [method, where, query] of [
    ['GET', '/api/v1/configmaps', { fieldSelector: used }],
    ['GET', '/api/v1/namespaces/elsewhere/configmaps', { fieldSelector: used }],
    ['GET', '/api/v1/namespaces/elsewhere/configmaps/used', {}],
    ['GET', '/api/v1/namespaces//configmaps', { fieldSelector: used }],
    ['GET', '/api/v1/watch/namespaces/default/configmaps/other', { fieldSelector: used }],
    ['GET', '/api/v1/watch/namespaces/default/configmaps', {}],
    ['GET', '/api/v1/namespaces/default/configmaps%2Fother', { fieldSelector: used }],
    ['GET', '/api/v1/namespaces/default/%63onfigmaps/other', {}],
    ['GET', path, { fieldSelector: `metadata.name=,${used}` }],
    ['DELETE', path, { fieldSelector: used }],
    ['DELETE', `${path}/used`, {}],
    ['PATCH', `${path}/used`, {}],
  ] as const) {
    const refused = node.request({ method, path: where, query });
    await assert.rejects(refused, (error) => isReason(error, 'Forbidden', 'NotFound'), `${method} ${where}`);
  }
  const both = { fieldSelector: `${used},metadata.name=zero` };
  const none = await node.request<{ items: ConfigMap[] }>({ method: 'GET', path, query: both });
  assert.equal(none.items.length, 0);
  const mine = { fieldSelector: `${used},metadata.namespace=elsewhere` };
  const nothing = await node.request<{ items: ConfigMap[] }>({ method: 'GET', path, query: mine });
  assert.equal(nothing.items.length, 0);
});
