/** What extension servers say of themselves becomes part of our documents: it must be of their types. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Destination } from '../outbound/destination.ts';
import type { ExtensionClient } from './extension-client.ts';
import { remoteDiscovery } from './remote-discovery.ts';
import { remoteOpenApi } from './remote-openapi.ts';

const to = {} as Destination;
const json = 'application/json';
const aggregatedType = `${json};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`;

/** Answers each path with a document, all others with 404. */
function answering(documents: Readonly<Record<string, unknown>>, contentType = json): ExtensionClient {
  return {
    get: (_to, path) => {
      const found = Object.hasOwn(documents, path);
      const text = found ? documents[path] : {};
      const body = Buffer.from(typeof text === 'string' ? text : JSON.stringify(text));
      return Promise.resolve({ status: found ? 200 : 404, headers: { 'content-type': contentType }, body });
    },
  };
}

const hostileLists: readonly unknown[] = [
  'no JSON',
  '['.repeat(100_000),
  null,
  5,
  [],
  { items: 5 },
  { items: [5] },
  { items: [{ metadata: { name: 5 } }] },
  { items: [{ metadata: { name: 'g' }, versions: {} }] },
  { items: [{ metadata: { name: 'g' }, versions: [{ version: 'v1', resources: 'all' }] }] },
  { items: [{ metadata: { name: 'g' }, versions: [{ version: 'v1', resources: [{ verbs: 5 }] }] }] },
];

test('remoteDiscovery refuses aggregated documents of other types, and leaves out what has no place', async () => {
  for (const list of hostileLists) {
    const found = await remoteDiscovery(answering({ '/apis': list }, aggregatedType), to, 'g', 'v1').catch(
      () => undefined,
    );
    assert.ok(found === undefined || JSON.stringify(found) === '{"version":"v1"}', JSON.stringify(list)?.slice(0, 80));
  }
  const resource = { resource: '__proto__', verbs: ['get'], bogus: { deep: [] } };
  const version = { version: 'v1', freshness: 'Current', bogus: 1, resources: [resource] };
  const list = { items: [null, { metadata: { name: 'g' }, versions: [version] }] };
  const found = await remoteDiscovery(answering({ '/apis': list }, aggregatedType), to, 'g', 'v1');
  assert.deepEqual(Object.keys(found).sort(), ['resources', 'version']);
  assert.equal(JSON.stringify(found).includes('bogus'), false);
});

const hostileResources: readonly unknown[] = [null, 5, 'all', {}, [5], [{ name: 5 }], [{ name: 'a', verbs: 'get' }]];

test('remoteDiscovery refuses plain lists of other types', async () => {
  for (const resources of hostileResources) {
    const client = answering({ '/apis/g/v1': { resources } });
    const found = await remoteDiscovery(client, to, 'g', 'v1').catch(() => undefined);
    assert.ok(found === undefined || found.resources?.length === 0, JSON.stringify(resources));
  }
  const names = ['', '/', 'a/', '/b', 'a/b/c', '__proto__', '__proto__/status', 'constructor'];
  const resources = names.map((name) => ({ name, kind: 'A', verbs: [] }));
  const found = await remoteDiscovery(answering({ '/apis/g/v1': { resources } }), to, 'g', 'v1');
  assert.deepEqual(
    found.resources?.map((each) => (each as { resource: string }).resource),
    ['', 'a', '__proto__', 'constructor'],
  );
});

const hostilePaths: readonly unknown[] = [
  { '/apis/g/v1/a': null },
  { '/apis/g/v1/a': { get: { parameters: [5], consumes: 5 } } },
  { '/apis/g/v1/a': { get: { tags: [{}] } } },
];

test('remoteOpenApi refuses documents that ours could not be made of', async () => {
  for (const paths of hostilePaths) {
    const client = answering({ '/openapi/v2': { paths } });
    await assert.rejects(remoteOpenApi(client, to, 'g', 'v1', undefined), JSON.stringify(paths));
  }
  const index = { paths: { 'apis/g/v1': { serverRelativeURL: 5 }, 'apis/h/v1': null } };
  const { version3 } = await remoteOpenApi(answering({ '/openapi/v3': index }), to, 'g', 'v1', undefined);
  assert.equal(version3.size, 0);
});
