import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { KubernetesObject } from '@kubernode/api';
import { memoryStore, prefixRange } from '@kubernode/store';
import { startSecured } from '../secured-testing.ts';
import { prepareObjects } from './prepare.ts';

/** What a first start leaves, without what each start makes anew. */
async function firstStart(options: Parameters<typeof startSecured>[0]) {
  const store = memoryStore();
  const writes: string[] = [];
  const write = store.write.bind(store);
  store.write = (changes) => {
    for (const { key } of changes) writes.push(key);
    return write(changes);
  };
  const { server } = await startSecured({ ...options, store });
  const { entries } = await store.list(prefixRange('/registry/'));
  await server.stop();
  const objects = entries
    .filter(({ key }) => !key.includes('/leases/') && !key.includes('/masterleases/'))
    .map(({ key, value }) => [key, withoutUid(JSON.parse(Buffer.from(value).toString()) as KubernetesObject)] as const);
  return { objects, writes };
}

function withoutUid(object: KubernetesObject): KubernetesObject {
  assert.match(object.metadata.uid ?? '', /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  return { ...object, metadata: { ...object.metadata, uid: '' } };
}

test('prepared-1.37.txt is what requests leave: node packages/apiserver/bootstrap/prepare.ts', async () => {
  const text = readFileSync(join(import.meta.dirname, 'prepared-1.37.txt'), 'utf8');
  assert.ok(text === (await prepareObjects()), 'run the command, and look at what has changed');
});

test('preparedValues fill a fresh cluster as requests do, each object with one write', async () => {
  const [prepared, requested] = [await firstStart({}), await firstStart({ withoutPrepared: true })];
  assert.deepEqual(prepared.objects, requested.objects);
  const ofSchemas = ({ writes }: typeof prepared) => writes.filter((key) => key.includes('/flowschemas/')).length;
  assert.equal(ofSchemas(prepared), 11);
  assert.equal(ofSchemas(requested), 22, 'a request for each, and one for its status');
});

test('preparedObjects are left out where admission has a say', async () => {
  await assert.rejects(startSecured({ enableAdmissionPlugins: ['AlwaysDeny'] }), /denied|forbidden|AlwaysDeny/i);
});
