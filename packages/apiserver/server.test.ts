import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigMap as ConfigMapType } from '@kubernode/api/core/v1';
import { isReason, type Transport } from '@kubernode/api';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { startApiServer } from './server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

async function start() {
  const store = memoryStore();
  const server = await startApiServer({ store, clock: new FakeClock(), log: silentLogger, random: seededRandom(1) });
  return { server, transport: server.transport('system:admin') };
}

const create = (transport: Transport, name: string, data: Record<string, string> = {}) =>
  transport.request<ConfigMapType>({
    method: 'POST',
    path: configMaps,
    body: { metadata: { name, labels: { app: name } }, data },
  });

test('startApiServer: an object is created, read, listed, patched, replaced and deleted', async () => {
  const { server, transport } = await start();
  const created = await create(transport, 'a', { k: 'v' });
  assert.equal(created.kind, 'ConfigMap');
  assert.equal(created.metadata.namespace, 'default');
  assert.match(created.metadata.uid ?? '', /^[0-9a-f-]{36}$/);
  const got = await transport.request<ConfigMapType>({ method: 'GET', path: `${configMaps}/a` });
  assert.equal(got, created, 'the same shared object');
  const patched = await transport.request<ConfigMapType>({
    method: 'PATCH',
    path: `${configMaps}/a`,
    contentType: 'application/merge-patch+json',
    body: { data: { other: 'x' } },
  });
  assert.deepEqual(patched.data, { k: 'v', other: 'x' });
  assert.notEqual(patched.metadata.resourceVersion, created.metadata.resourceVersion);
  await assert.rejects(transport.request({ method: 'PUT', path: `${configMaps}/a`, body: created }), (error) =>
    isReason(error, 'Conflict'),
  );
  const replaced = await transport.request<ConfigMapType>({
    method: 'PUT',
    path: `${configMaps}/a`,
    body: { ...patched, data: { only: 'this' } },
  });
  assert.deepEqual(replaced.data, { only: 'this' });
  const list = await transport.request<{ items: ConfigMapType[] }>({ method: 'GET', path: configMaps });
  assert.deepEqual(
    list.items.map(({ metadata }) => metadata.name),
    ['a'],
  );
  await transport.request({ method: 'DELETE', path: `${configMaps}/a` });
  await assert.rejects(transport.request({ method: 'GET', path: `${configMaps}/a` }), (error) =>
    isReason(error, 'NotFound'),
  );
  await server.stop();
});

test('startApiServer: a watch tells what happens after its version', async () => {
  const { server, transport } = await start();
  const first = await create(transport, 'a');
  await create(transport, 'b');
  await transport.request({ method: 'DELETE', path: `${configMaps}/a` });
  const seen: string[] = [];
  const abort = new AbortController();
  const query = { watch: true, resourceVersion: first.metadata.resourceVersion };
  for await (const batch of transport.watch<ConfigMapType>({
    method: 'GET',
    path: configMaps,
    query,
    signal: abort.signal,
  })) {
    for (const { type, object } of batch) seen.push(`${type} ${object.metadata.name}`);
    if (seen.length === 2) abort.abort();
  }
  assert.deepEqual(seen, ['ADDED b', 'DELETED a']);
  await server.stop();
});
