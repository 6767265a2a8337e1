import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListOf } from '@kubernode/api';
import type { StorageVersion } from '@kubernode/api/internal/v1alpha1';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { startApiServer } from '../server.ts';
import { withStorageVersions } from './storage-versions.ts';

const path = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions';
const common = { clock: new FakeClock(), log: silentLogger, random: seededRandom(1) };
const runtimeConfig = { 'api/all': true };

async function start(store = memoryStore(), featureGates: Record<string, boolean> = { StorageVersionAPI: true }) {
  const server = await startApiServer({ ...common, store, runtimeConfig, featureGates });
  const admin = server.transport('system:admin');
  const list = async () => (await admin.request<ListOf<StorageVersion>>({ method: 'GET', path })).items;
  return { server, admin, list };
}

test('storageVersionHook tells of each stored resource how it is encoded and decoded', async () => {
  const { server, list } = await start();
  const told = new Map((await list()).map(({ metadata, status }) => [metadata.name, status]));
  const of = (name: string) => {
    const { apiServerID, ...versions } = told.get(name)?.storageVersions?.[0] ?? {};
    assert.match(apiServerID ?? '', /^apiserver-/);
    return versions;
  };
  assert.deepEqual(of('core.pods'), { encodingVersion: 'v1', decodableVersions: ['v1'], servedVersions: ['v1'] });
  assert.deepEqual(of('core.events').decodableVersions, ['v1', 'events.k8s.io/v1']);
  assert.deepEqual(of('apps.daemonsets').decodableVersions, ['apps/v1', 'apps/v1beta2']);
  assert.equal(of('apiextensions.k8s.io.customresourcedefinitions').encodingVersion, 'apiextensions.k8s.io/v1beta1');
  assert.ok(!told.has('events.k8s.io.events') && !told.has('core.bindings'));
  assert.equal(told.get('core.pods')?.commonEncodingVersion, 'v1');
  assert.equal(told.get('core.pods')?.conditions?.[0]?.reason, 'CommonEncodingVersionSet');
  await server.stop();
});

test('storageVersionHook keeps what other servers tell, and writes nothing that is there', async () => {
  const store = memoryStore();
  const first = await start(store);
  const pods = (await first.list()).find(({ metadata }) => metadata.name === 'core.pods')!;
  const other = { apiServerID: 'apiserver-b', encodingVersion: 'v2', decodableVersions: ['v1', 'v2'] };
  const body = withStorageVersions(pods, [other, ...pods.status.storageVersions!], 0);
  await first.admin.request({ method: 'PUT', path: `${path}/core.pods/status`, body });
  const before = await first.list();
  await first.server.stop();
  const second = await start(store);
  assert.deepEqual(await second.list(), before);
  await second.server.stop();
  assert.equal(body.status.commonEncodingVersion, undefined);
  assert.equal(body.status.conditions?.[0]?.reason, 'CommonEncodingVersionUnset');
});

test('without the gate nothing is told', async () => {
  const { server, list } = await start(memoryStore(), {});
  assert.deepEqual(await list(), []);
  await server.stop();
});
