import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kind, type KubernetesObject } from '@kubernode/api';
import { CustomResourceDefinition } from '@kubernode/api/apiextensions/v1';
import { StorageVersionMigration } from '@kubernode/api/storagemigration/v1';
import { startAlone } from '../testing/controller-alone.ts';
import { testObject } from '../shared/testing.ts';
import { running, withConditions } from './conditions.ts';
import { storageVersionMigrator } from './storage-version-migrator.ts';
import { isNext } from './turn.ts';

async function start() {
  const alone = await startAlone(storageVersionMigrator);
  return {
    ...alone,
    /** Lets the fake time pass until `look` finds something. */
    async eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
      for (let second = 0; second < 120; second += 1) {
        const found = await look().catch(() => undefined);
        if (found !== undefined) return found;
        await alone.clock.advance(1_000);
      }
      throw new Error('nothing came of it in two minutes');
    },
  };
}

const group = 'example.com';
const Foo = kind<KubernetesObject>({ group, version: 'v1', kind: 'Foo', plural: 'foos', namespaced: false });
const definition = (storage: string) => ({
  metadata: { name: 'foos.example.com' },
  spec: {
    group,
    scope: 'Cluster',
    names: { plural: 'foos', kind: 'Foo' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === storage,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    })),
  },
});

const shown = ({ status }: StorageVersionMigration) =>
  status.conditions?.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);

test('storageVersionMigrator rewrites objects, and shortens what may be stored', async () => {
  await using cluster = await start();
  const { client } = cluster;
  await client.create(CustomResourceDefinition, definition('v1') as never);
  const made = await cluster.eventually(() => client.create(Foo, { metadata: { name: 'a' } } as never));
  const crd = await client.get(CustomResourceDefinition, 'foos.example.com');
  await client.update(CustomResourceDefinition, { ...crd, spec: definition('v2').spec } as never);
  const migration = { metadata: { name: 'm' }, spec: { resource: { group, resource: 'foos' } } };
  await client.create(StorageVersionMigration, migration as never);
  const ended = await cluster.eventually(async () => {
    const now = await client.get(StorageVersionMigration, 'm');
    return now.status.conditions?.some(({ reason }) => reason === 'MigrationCompleted') ? now : undefined;
  });
  assert.deepEqual(shown(ended), [
    'Running=False MigrationCompleted',
    'Succeeded=True StorageVersionMigrationSucceeded',
  ]);
  const rewritten = await client.get(Foo, 'a');
  assert.notEqual(rewritten.metadata.resourceVersion, made.metadata.resourceVersion);
  assert.equal(rewritten.metadata.generation, 1);
  const { status } = await client.get(CustomResourceDefinition, 'foos.example.com');
  assert.deepEqual(status.storedVersions, ['v2']);
  const migrating = status.conditions?.find(({ type }) => type === 'StorageMigrating');
  assert.equal(migrating?.message, 'The migration has succeeded and the stored versions have been updated');
});

test('storageVersionMigrator gives up on a resource that does not come', async () => {
  await using cluster = await start();
  const { client } = cluster;
  const migration = { metadata: { name: 'm' }, spec: { resource: { group, resource: 'bars' } } };
  await client.create(StorageVersionMigration, migration as never);
  const failed = await cluster.eventually(async () => {
    const { status } = await client.get(StorageVersionMigration, 'm');
    return status.conditions?.find(({ type }) => type === 'Failed');
  });
  assert.equal(failed.message, 'resource does not exist in discovery');
});

const sketch = (name: string, second: number, isRunning = false, resource = 'foos') => {
  const creationTimestamp = `2026-01-01T00:00:0${second}Z`;
  const migration = { metadata: { name, creationTimestamp }, spec: { resource: { group, resource } }, status: {} };
  const object = testObject<StorageVersionMigration>(migration);
  return isRunning ? withConditions(object, [running()], 0) : object;
};

test('isNext lets the oldest begin, one at a time', () => {
  const all = [sketch('b', 1), sketch('a', 2), sketch('c', 1), sketch('other', 0, true, 'bars')];
  assert.deepEqual(
    all.map((each) => isNext(each, all)),
    [true, false, false, true],
  );
  assert.equal(isNext(all[0]!, [...all, sketch('z', 9, true)]), false);
});
