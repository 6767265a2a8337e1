import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApiServer } from '@kubernode/apiserver';
import { ControllerRevision, StatefulSet } from '@kubernode/api/apps/v1';
import type { PodTemplateSpec } from '@kubernode/api/core/v1';
import { createClient, type ReconcileContext } from '@kubernode/client';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { inOrder, syncRevision, templateOf, truncateHistory } from './revisions.ts';

const namespace = 'default';
const owner = { metadata: { name: 'web', namespace, uid: 'u1', creationTimestamp: '' } } as StatefulSet;
const templateOfImage = (image: string) =>
  ({
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image }] },
  }) as unknown as PodTemplateSpec;

/** Revisions on a server in memory, as a reconciliation sees them. */
async function start() {
  const deps = { clock: new FakeClock(), log: silentLogger, random: seededRandom(1) };
  const store = memoryStore();
  const server = await startApiServer({ store, ...deps });
  const client = createClient(server.transport('system:admin'));
  const context = { client } as ReconcileContext;
  const list = async () => inOrder((await client.list(ControllerRevision, { namespace })).items);
  return {
    client,
    context,
    list,
    sync: async (image: string, collisionCount?: number) => {
      const template = templateOfImage(image);
      const options = { ownerKind: StatefulSet, owner, template, hashLabel: 'hash', collisionCount };
      return syncRevision(options, await list(), context);
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await store.close();
    },
  };
}

test('syncRevision makes one revision a template, and raises the number of one that comes back', async () => {
  await using history = await start();
  const first = await history.sync('a');
  assert.deepEqual(templateOf(first.revision), templateOfImage('a'));
  assert.equal((await history.sync('a')).revision.metadata.name, first.revision.metadata.name);
  const second = await history.sync('b');
  assert.equal(second.revision.revision, 2);
  const again = await history.sync('a');
  assert.equal(again.revision.metadata.name, first.revision.metadata.name);
  assert.equal(again.revision.revision, 3);
  assert.equal((await history.list()).length, 2);
});

test('syncRevision takes another name where one is taken', async () => {
  await using history = await start();
  const { revision } = await history.sync('a');
  const { name } = revision.metadata;
  await history.client.delete(ControllerRevision, { name, namespace });
  await history.client.create(ControllerRevision, { metadata: { name, namespace }, data: {}, revision: 1 });
  const template = templateOfImage('a');
  const options = { ownerKind: StatefulSet, owner, template, hashLabel: 'hash', collisionCount: undefined };
  const made = await syncRevision(options, [], history.context);
  assert.equal(made.collisionCount, 1);
  assert.notEqual(made.revision.metadata.name, name);
});

test('truncateHistory deletes the oldest that are not in use', async () => {
  await using history = await start();
  for (const image of ['a', 'b', 'c', 'd']) await history.sync(image);
  const all = await history.list();
  await truncateHistory(all, new Set([all[0]?.metadata.name ?? '']), 1, history.context);
  assert.deepEqual(
    (await history.list()).map(({ revision }) => revision),
    [1, 4],
  );
});
