import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { StatusError } from '@kubernode/api';
import { ConfigMap } from '@kubernode/api/core/v1';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { createClient } from './client.ts';
import { createInformerFactory } from './informer-factory.ts';
import type { InformerChange } from './informer.ts';
import { testApi } from './test-api.ts';

const configMap = (name: string, value = '', namespace = 'default') => ({
  metadata: { name, namespace },
  data: { value },
});
const told = (change: InformerChange<ConfigMap>) =>
  `${change.type} ${change.object.metadata.name}=${change.object.data?.['value']}`;

/** Lets everything that is ready happen. */
async function settle() {
  for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate);
}

function setUp(t: TestContext) {
  const api = testApi();
  const clock = new FakeClock();
  const client = createClient(api);
  const informers = createInformerFactory({ client, clock, random: () => 0, log: silentLogger });
  t.after(() => informers.stop());
  return { api, clock, client, informers };
}

test('Informer lists in pages, then follows the watch', async (t) => {
  const { api, client, informers } = setUp(t);
  for (let i = 0; i < 501; i++) await client.create(ConfigMap, configMap(`c${i}`));
  const informer = informers.for(ConfigMap);
  await informer.synced;
  assert.equal(informer.list().length, 501);
  assert.equal(api.requests.filter((request) => request.startsWith('GET')).length, 2);
  const created = await client.create(ConfigMap, configMap('new', '1', 'other'));
  await informer.seen(Number(created.metadata.resourceVersion));
  assert.equal(informer.get('new', 'other')?.kind, 'ConfigMap');
  assert.equal(Object.isFrozen(informer.get('new', 'other')?.metadata), true);
  assert.equal(informer.list('other').length, 1);
});

test('Informer tells changes in order, and what is there already to those who come later', async (t) => {
  const { client, informers } = setUp(t);
  const informer = informers.for(ConfigMap);
  await informer.synced;
  const changes: string[] = [];
  informer.onChange((change) => changes.push(told(change)));
  await client.create(ConfigMap, configMap('a', '1'));
  await client.update(ConfigMap, configMap('a', '2'));
  await client.delete(ConfigMap, { name: 'a', namespace: 'default' });
  await client.create(ConfigMap, configMap('b', '1'));
  await settle();
  assert.deepEqual(changes, ['added a=1', 'updated a=2', 'deleted a=2', 'added b=1']);
  const late: string[] = [];
  informer.onChange((change) => late.push(told(change)));
  assert.deepEqual(late, ['added b=1']);
});

test('Informer goes on after a broken watch without listing again', async (t) => {
  const { api, clock, client, informers } = setUp(t);
  const informer = informers.for(ConfigMap);
  await informer.synced;
  await settle();
  api.hangUp();
  await client.create(ConfigMap, configMap('a', '1'));
  await clock.advance(1_000);
  await settle();
  assert.equal(informer.list().length, 1);
  assert.deepEqual(
    api.requests.filter((request) => !request.startsWith('POST')),
    ['GET /api/v1/configmaps', 'WATCH /api/v1/configmaps', 'WATCH /api/v1/configmaps'],
  );
});

test('Informer lists again after 410 and tells what was missed, a replaced object as deleted and added', async (t) => {
  const { api, clock, client, informers } = setUp(t);
  for (const name of ['kept', 'gone', 'replaced']) await client.create(ConfigMap, configMap(name, '1'));
  const informer = informers.for(ConfigMap);
  await informer.synced;
  const changes: string[] = [];
  informer.onChange((change) => changes.push(told(change)));
  await settle();
  changes.length = 0;
  api.hangUp();
  for (const name of ['gone', 'replaced']) await client.delete(ConfigMap, { name, namespace: 'default' });
  await client.create(ConfigMap, configMap('replaced', '2'));
  await api.store.compact(await api.store.revision());
  await clock.advance(2_000);
  await settle();
  assert.deepEqual(changes, ['deleted gone=1', 'deleted replaced=1', 'added replaced=2']);
});

test('Informer tries the first list again, waiting longer each time', async (t) => {
  const { api, clock, informers } = setUp(t);
  let attempts = 0;
  api.intercept = () => {
    attempts++;
    if (attempts <= 3) throw StatusError.of('ServiceUnavailable', 'starting');
  };
  const informer = informers.for(ConfigMap);
  await clock.advance(199);
  assert.equal(attempts, 1);
  await clock.advance(1 + 400);
  assert.equal(attempts, 3);
  assert.equal(informer.hasSynced, false);
  await clock.advance(800);
  await informer.synced;
});

test('Informer keeps its indexes with the objects', async (t) => {
  const { client, informers } = setUp(t);
  const informer = informers.for(ConfigMap);
  informer.addIndex('value', (object) => [object.data?.['value'] ?? '']);
  await informer.synced;
  await client.create(ConfigMap, configMap('a', 'red'));
  await client.create(ConfigMap, configMap('b', 'red'));
  await client.update(ConfigMap, configMap('b', 'blue'));
  await settle();
  assert.deepEqual(
    informer.byIndex('value', 'red').map((object) => object.metadata.name),
    ['a'],
  );
  assert.throws(() => informer.byIndex('size', 'red'), /no index "size", expected one of \[value\]/);
});

test('Informer keeps a failing handler from hurting the others', async (t) => {
  const { client, informers } = setUp(t);
  const informer = informers.for(ConfigMap);
  await informer.synced;
  informer.onChange(() => {
    throw new Error('broken handler');
  });
  const changes: string[] = [];
  informer.onChange((change) => changes.push(told(change)));
  await client.create(ConfigMap, configMap('a', '1'));
  await settle();
  assert.deepEqual(changes, ['added a=1']);
});

test('InformerFactory shares an informer by kind and scope, and rejects who waits when stopped', async (t) => {
  const { api, informers } = setUp(t);
  api.intercept = ({ signal }) =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
  const informer = informers.for(ConfigMap);
  assert.equal(informers.for(ConfigMap), informer);
  assert.notEqual(informers.for(ConfigMap, { namespace: 'other' }), informer);
  const waiting = assert.rejects(informer.synced, /stopped/);
  await informers.stop();
  await waiting;
});
