import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomResourceDefinition } from '@kubernode/api/apiextensions/v1';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { startApiServer } from '../server.ts';

const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const definition = (plural: string) => ({
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural, kind: plural },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

test('CustomResources serves others while one that goes waits for its instances', async (t) => {
  const store = memoryStore();
  const options = { store, clock: new FakeClock(), log: silentLogger, random: seededRandom(1) };
  const server = await startApiServer(options);
  t.after(async () => {
    await server.stop();
    await store.close();
  });
  const transport = server.transport('system:admin');
  const established = async (plural: string) => {
    for (let turn = 0; turn < 1000; turn += 1) {
      const crd = await transport.request<CustomResourceDefinition>({
        method: 'GET',
        path: `${path}/${plural}.example.com`,
      });
      if (crd.status.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) return true;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return false;
  };
  await transport.request({ method: 'POST', path, body: definition('held') });
  assert.ok(await established('held'));
  const instances = '/apis/example.com/v1/held';
  const held = { apiVersion: 'example.com/v1', kind: 'held', metadata: { name: 'a', finalizers: ['example.com/b'] } };
  await transport.request({ method: 'POST', path: instances, body: held });
  await transport.request({ method: 'DELETE', path: `${path}/held.example.com` });
  await transport.request({ method: 'POST', path, body: definition('others') });
  assert.ok(await established('others'));
  const freed = { metadata: { finalizers: null } };
  const contentType = 'application/merge-patch+json';
  await transport.request({ method: 'PATCH', path: `${instances}/a`, body: freed, contentType });
  for (let turn = 0; turn < 1000; turn += 1) {
    const { items } = await transport.request<{ items: readonly object[] }>({ method: 'GET', path });
    if (items.length === 1) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail('the definition is still there after its last instance went');
});

test('CustomResources serves thousands of versions, the newest first', async (t) => {
  const store = memoryStore();
  const server = await startApiServer({ store, clock: new FakeClock(), log: silentLogger, random: seededRandom(1) });
  t.after(async () => {
    await server.stop();
    await store.close();
  });
  const transport = server.transport('system:admin');
  const { metadata, spec } = definition('many');
  const versions = Array.from({ length: 3_000 }, (_, index) => ({
    ...spec.versions[0],
    name: `v${index + 1}`,
    storage: index === 0,
  }));
  await transport.request({ method: 'POST', path, body: { metadata, spec: { ...spec, versions } } });
  const group = async () => {
    const found = transport.request<{ versions: readonly { version: string }[] }>({
      method: 'GET',
      path: '/apis/example.com',
    });
    return (await found.catch(() => undefined))?.versions ?? [];
  };
  for (let turn = 0; turn < 1000 && (await group()).length === 0; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const served = (await group()).map(({ version }) => version);
  assert.deepEqual(served, versions.map(({ name }) => name).toReversed());
});
