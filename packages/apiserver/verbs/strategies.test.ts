import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { scheme, StatusError, type Transport } from '@kubernode/api';
import type { DaemonSet } from '@kubernode/api/apps/v1';
import type { CustomResourceDefinition } from '@kubernode/api/apiextensions/v1';
import type { Job } from '@kubernode/api/batch/v1';
import type { Namespace } from '@kubernode/api/core/v1';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { bookmarkTable, tableOf } from '../encode/table.ts';
import { listParts } from '../encode/transform.ts';
import type { ServedResource } from '../registry.ts';
import type { ApiObject } from '../storage/encoding.ts';
import { startApiServer, type ApiServer } from '../server.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { hasStatusTable } from './strategies.ts';

let server: ApiServer;
let transport: Transport;

before(async () => {
  const clock = new FakeClock();
  server = await startApiServer({ store: memoryStore(), clock, log: silentLogger, random: seededRandom(7) });
  transport = server.transport('system:admin');
});
after(() => server.stop());

const jobs = '/apis/batch/v1/namespaces/default/jobs';
const template = {
  metadata: { labels: { a: 'b' } },
  spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
};

async function refusal(request: Parameters<Transport['request']>[0]): Promise<StatusError> {
  const error = await transport.request(request).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof StatusError, 'the request went through');
  return error;
}

test('the labels of a job are those of its pods, unless it has its own or its name was generated', async () => {
  for (const [metadata, expected] of [
    [{ name: 'named' }, 5],
    [{ name: 'labelled', labels: { a: 'b' } }, 1],
    [{ generateName: 'generated-' }, 1],
  ] as const) {
    const body = { metadata, spec: { template } };
    const { labels } = (await transport.request<Job>({ method: 'POST', path: jobs, body })).metadata;
    assert.equal(Object.keys(labels ?? {}).length, expected, JSON.stringify(metadata));
  }
});

test("a daemon set's status does not change its template's generation", async () => {
  const path = '/apis/apps/v1/namespaces/default/daemonsets';
  const spec = {
    selector: { matchLabels: { a: 'b' } },
    template: { ...template, spec: { containers: template.spec.containers } },
  };
  const body = { metadata: { name: 'd' }, spec };
  await transport.request({ method: 'POST', path, body });
  const { metadata } = await transport.request<DaemonSet>({ method: 'PUT', path: `${path}/d/status`, body });
  assert.equal(metadata.annotations?.['deprecated.daemonset.template.generation'], '1');
});

test('another uid is a conflict before a missing version is', async () => {
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  await transport.request({ method: 'POST', path, body: { metadata: { name: 'l' } } });
  const put = (metadata: object) =>
    refusal({ method: 'PUT', path: `${path}/l`, body: { metadata: { name: 'l', ...metadata } } });
  assert.equal((await put({ uid: 'other' })).reason, 'Conflict');
  assert.equal((await put({})).reason, 'Invalid');
});

test('a namespace that ends is not marked again, and what its deletion asks for names the resource', async () => {
  const path = '/api/v1/namespaces';
  await transport.request({ method: 'POST', path, body: { metadata: { name: 'ending' } } });
  const remove = (body: object) => ({ method: 'DELETE' as const, path: `${path}/ending`, body });
  const { status } = await refusal(remove({ preconditions: { uid: 'other' } }));
  assert.equal(status.details?.kind, 'namespaces');
  await transport.request(remove({ propagationPolicy: 'Foreground' }));
  const { metadata } = await transport.request<Namespace>(remove({ propagationPolicy: 'Orphan' }));
  assert.deepEqual(metadata.finalizers, ['foregroundDeletion']);
});

test('errors about events are of the core group, and events wait for no dependents', async () => {
  const path = '/apis/events.k8s.io/v1/namespaces/default/events';
  const { status } = await refusal({ method: 'POST', path, body: { metadata: { name: 'Bad_Name' } } });
  assert.equal(status.details?.group, undefined);
});

test('namespaces are no field to select nodes by', async () => {
  const query = { fieldSelector: 'metadata.namespace=a' };
  assert.equal((await refusal({ method: 'GET', path: '/api/v1/nodes', query })).reason, 'BadRequest');
});

test('bookmarkTable has the row of an empty object', () => {
  for (const [apiVersion, kind, expected] of [
    ['apps/v1', 'Deployment', ['', '0/0', 0, 0, '<unknown>', '', '', '']],
    ['rbac.authorization.k8s.io/v1', 'Role', ['', '0001-01-01T00:00:00Z']],
    ['v1', 'Service', ['', '', '<none>', '<unknown>', '<none>', '<unknown>', '<none>']],
    ['networking.k8s.io/v1', 'IPAddress', ['', '<none>', '<unknown>']],
  ] as const) {
    const info = scheme.byKind(apiVersion, kind)!;
    const resource = { info, shape: info.shape, definition: info.definition } as unknown as ServedResource;
    const { rows } = bookmarkTable(resource, null, '1', 'v1') as { rows: readonly { cells: unknown }[] };
    assert.deepEqual(rows[0]?.cells, expected, kind);
  }
});

test('lists of storage classes mark the newest default, single ones none', () => {
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  const classOf = (name: string, creationTimestamp: string, isDefault = true) => {
    const metadata = { name, creationTimestamp, ...(isDefault ? { annotations } : {}) };
    return { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata, provisioner: 'p' };
  };
  const [old, b, a] = ['old', 'b', 'a'].map((name, index) => classOf(name, `2026-01-0${index ? 2 : 1}T00:00:00Z`));
  const last = classOf('c', '2026-01-03T00:00:00Z', false);
  const classes = [a!, b!, last, old!] as unknown as readonly ApiObject[];
  const info = scheme.byKind('storage.k8s.io/v1', 'StorageClass')!;
  const { group, plural } = info;
  const resource = {
    group,
    plural,
    info,
    apiVersion: 'storage.k8s.io/v1',
    shape: info.shape,
    definition: info.definition,
    conversion: {},
  } as unknown as ServedResource;
  const metadata = { resourceVersion: '' };
  const nameIn = (row: unknown) => (row as { cells: unknown[] }).cells[0];
  const objects = classes.map((object) => {
    const key = `/registry/storage.k8s.io/storageclasses/${object.metadata.name}`;
    return new StoredObject({ key, namespace: '' }, 1, Buffer.from(JSON.stringify(object)));
  });
  const format = { encoding: 'json', transform: 'Table', pretty: false } as const;
  const { item } = listParts({ type: 'list', resource, metadata, objects, format }, 0, new URLSearchParams());
  assert.deepEqual(
    objects.map((object) => nameIn(item(object))),
    ['a (default)', 'b', 'c', 'old'],
  );
  const { rows } = tableOf(resource, classes, metadata, { include: 'None', version: 'v1', nowMs: 0 }) as {
    rows: readonly unknown[];
  };
  assert.deepEqual(rows.map(nameIn), ['a', 'b', 'c', 'old']);
});

test('a definition is first marked without regard to dependents, then deleted like others', async () => {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const schema = { openAPIV3Schema: { type: 'object' } };
  const spec = {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'foos', kind: 'Foo' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  };
  const metadata = { name: 'foos.example.com', finalizers: ['example.com/hold'] };
  await transport.request({ method: 'POST', path, body: { metadata, spec } });
  const remove = (propagationPolicy: string) =>
    transport.request<CustomResourceDefinition>({
      method: 'DELETE',
      path: `${path}/foos.example.com`,
      body: { propagationPolicy },
    });
  const first = (await remove('Foreground')).metadata;
  assert.equal(first.deletionGracePeriodSeconds, undefined);
  assert.deepEqual(first.finalizers, ['example.com/hold', 'customresourcecleanup.apiextensions.k8s.io']);
  const second = (await remove('Orphan')).metadata;
  assert.equal(second.deletionGracePeriodSeconds, 0);
  assert.ok(second.finalizers?.includes('orphan'));
});

test('the status of some kinds has no table', () => {
  const resource = (plural: string) => ({ group: 'resource.k8s.io', plural }) as unknown as ServedResource;
  assert.equal(hasStatusTable(resource('resourceclaims')), false);
  assert.equal(hasStatusTable(resource('resourceslices')), true);
});
