import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ConfigMap, Secret } from '@kubernode/api/core/v1';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { createClient } from './client.ts';
import { controller, mapped, owned, type ControllerDeclaration } from './controller.ts';
import { createEventRecorder } from './event-recorder.ts';
import { createInformerFactory } from './informer-factory.ts';
import { controlledBy } from './owners.ts';
import { runController } from './run-controller.ts';
import { testApi } from './test-api.ts';

async function settle() {
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
}

async function setUp<T>(t: TestContext, declaration: ControllerDeclaration<T>) {
  const api = testApi();
  const clock = new FakeClock();
  const client = createClient(api);
  const base = { client, clock, random: () => 0, log: silentLogger };
  const informers = createInformerFactory(base);
  const recorder = createEventRecorder({ ...base, component: declaration.name });
  const component = runController(declaration, { ...base, informers, recorder });
  t.after(async () => {
    await component.stop();
    await informers.stop();
  });
  await informers.synced();
  await settle();
  return { api, clock, client, component, informers };
}

const ownerOf = (object: ConfigMap) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: object.metadata.name,
  uid: object.metadata.uid,
  controller: true,
});

test('runController keeps the wished number of objects and never counts its own writes twice', async (t) => {
  const names: string[] = [];
  const declaration = controller({
    name: 'secrets',
    reconciles: ConfigMap,
    watches: [owned(Secret)],
    writes: [Secret],
    async reconcile(object, { client, informer, namespace }) {
      const have = controlledBy(informer(Secret), object).length;
      const want = Number(object.data?.['count']);
      for (let i = have; i < want; i++) {
        const name = `s${names.length}`;
        names.push(name);
        await client.create(Secret, { metadata: { name, namespace, ownerReferences: [ownerOf(object)] } });
      }
    },
  });
  const { client } = await setUp(t, declaration);
  const object = await client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' }, data: { count: '3' } });
  await client.update(ConfigMap, { ...object, data: { count: '4' } });
  await settle();
  assert.deepEqual(names, ['s0', 's1', 's2', 's3']);
  await client.delete(Secret, { name: 's1', namespace: 'x' });
  await settle();
  assert.equal(names.length, 5);
});

test('runController does not delete twice what it deleted', async (t) => {
  const deleted: string[] = [];
  const declaration = controller({
    name: 'deleter',
    reconciles: ConfigMap,
    reads: [Secret],
    async reconcile(_, { client, informer, queue, key }) {
      const [secret] = informer(Secret).list();
      if (!secret) return;
      queue.add(key);
      deleted.push(secret.metadata.name);
      await client.delete(Secret, { name: secret.metadata.name, namespace: 'x' });
    },
  });
  const { client } = await setUp(t, declaration);
  for (const name of ['s1', 's2']) await client.create(Secret, { metadata: { name, namespace: 'x' } });
  await client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } });
  await settle();
  assert.deepEqual(deleted, ['s1', 's2']);
});

test('runController tries again with backoff after an error, and when asked to', async (t) => {
  const times: number[] = [];
  const declaration = controller({
    name: 'failing',
    reconciles: ConfigMap,
    async reconcile(_, { now }) {
      times.push(now());
      if (times.length < 4) throw new Error('not yet');
      return times.length === 4 ? { requeueAfterMs: 1_000 } : undefined;
    },
  });
  const { client, clock } = await setUp(t, declaration);
  await client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } });
  await clock.advance(10_000);
  const start = times[0]!;
  assert.deepEqual(
    times.map((time) => time - start),
    [0, 5, 15, 35, 1_035],
  );
});

test('runController maps other kinds, and calls for a deleted object where that is declared', async (t) => {
  const calls: string[] = [];
  const declaration = controller({
    name: 'mapping',
    reconciles: ConfigMap,
    watches: [mapped(Secret, (secret) => [`x/${secret.data?.['for'] ?? ''}`])],
    onDeleted: true,
    async reconcile(object, { key }) {
      calls.push(`${key} ${object ? 'there' : 'gone'}`);
    },
  });
  const { client } = await setUp(t, declaration);
  await client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } });
  await settle();
  await client.delete(ConfigMap, { name: 'a', namespace: 'x' });
  await settle();
  const secret = await client.create(Secret, { metadata: { name: 's', namespace: 'x' }, data: { for: 'b' } });
  await settle();
  await client.update(Secret, { ...secret, data: { for: 'c' } });
  await settle();
  assert.deepEqual(calls, ['x/a there', 'x/a gone', 'x/b gone', 'x/c gone', 'x/b gone']);
});

test('runController refuses to read a kind that is not declared', async (t) => {
  const errors: string[] = [];
  const declaration = controller({
    name: 'undeclared',
    reconciles: ConfigMap,
    async reconcile(_, { informer }) {
      try {
        informer(Secret);
      } catch (error) {
        errors.push((error as Error).message);
      }
    },
  });
  const { client } = await setUp(t, declaration);
  await client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } });
  await settle();
  assert.deepEqual(errors, ["undeclared: reads secrets, expected it in the declaration's watches or reads"]);
});

test('runController waits for the reconciliation under way when it stops', async (t) => {
  let finish = () => {};
  const declaration = controller({
    name: 'slow',
    reconciles: ConfigMap,
    reconcile: () => new Promise<void>((resolve) => (finish = resolve)),
  });
  const { client, component } = await setUp(t, declaration);
  await client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } });
  await settle();
  let stopped = false;
  const stopping = component.stop().then(() => (stopped = true));
  await settle();
  assert.equal(stopped, false);
  finish();
  await stopping;
});
