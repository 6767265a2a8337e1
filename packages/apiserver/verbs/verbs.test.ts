import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isReason, type StatusError, type StatusReason, type Transport } from '@kubernode/api';
import type { ConfigMap } from '@kubernode/api/core/v1';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { startApiServer, type ApiServer } from '../server.ts';

const clock = new FakeClock();
let server: ApiServer;
let transport: Transport;

before(async () => {
  const options = { clock, log: silentLogger, random: seededRandom(7) };
  server = await startApiServer({ store: memoryStore(), ...options });
  transport = server.transport('system:admin');
});
after(() => server.stop());

const pathIn = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

async function make(namespace: string, ...names: readonly string[]): Promise<ConfigMap[]> {
  const made: ConfigMap[] = [];
  for (const name of names) {
    const body = { metadata: { name, labels: { name } }, data: { k: 'v' } };
    made.push(await transport.request<ConfigMap>({ method: 'POST', path: pathIn(namespace), body }));
  }
  return made;
}

const rejectsWith = (run: Promise<unknown>, reason: StatusReason) =>
  assert.rejects(run, (error) => isReason(error, reason));

interface List {
  readonly metadata: { continue?: string; remainingItemCount?: number; resourceVersion: string };
  readonly items: readonly ConfigMap[];
}
const list = (namespace: string, query: Record<string, string | number> = {}) =>
  transport.request<List>({ method: 'GET', path: pathIn(namespace), query });
const namesOf = ({ items }: List) => items.map(({ metadata }) => metadata.name).join(' ');

const selections: readonly [query: Record<string, string>, names: string][] = [
  [{}, 'a b c'],
  [{ labelSelector: 'name=b' }, 'b'],
  [{ labelSelector: 'name in (a,c)' }, 'a c'],
  [{ labelSelector: 'other' }, ''],
  [{ fieldSelector: 'metadata.name=c' }, 'c'],
  [{ fieldSelector: 'metadata.name!=c' }, 'a b'],
  [{ fieldSelector: 'metadata.name!=a,metadata.name!=c' }, 'b'],
  [{ fieldSelector: 'metadata.name=b,metadata.name!=c' }, 'b'],
  [{ fieldSelector: 'metadata.name=b,metadata.name=b' }, 'b'],
  [{ fieldSelector: 'metadata.name=b,metadata.name!=b' }, ''],
  [{ fieldSelector: 'metadata.name=a,metadata.name=b' }, ''],
  [{ fieldSelector: 'metadata.name=a,metadata.name=b,metadata.name=c' }, ''],
  [{ fieldSelector: 'metadata.name=' }, ''],
  [{ fieldSelector: 'metadata.namespace=elsewhere' }, ''],
];

test('list selects by labels and fields', async () => {
  await make('select', 'c', 'a', 'b');
  for (const [query, names] of selections)
    assert.equal(namesOf(await list('select', query)), names, JSON.stringify(query));
  await rejectsWith(list('select', { fieldSelector: 'data.k=v' }), 'BadRequest');
  await rejectsWith(list('select', { labelSelector: 'a=b=c' }), 'BadRequest');
});

test('list goes on where the last page ended, as of the first page', async () => {
  await make('pages', 'a', 'b', 'c', 'd', 'e');
  const first = await list('pages', { limit: 2 });
  assert.equal(namesOf(first), 'a b');
  assert.equal(first.metadata.remainingItemCount, 3);
  await transport.request({ method: 'DELETE', path: `${pathIn('pages')}/c` });
  await make('pages', 'bb');
  const second = await list('pages', { limit: 2, continue: first.metadata.continue ?? '' });
  assert.equal(namesOf(second), 'c d', 'c was still there, bb not yet');
  assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
  const rest = await list('pages', { continue: second.metadata.continue ?? '' });
  assert.equal(namesOf(rest), 'e');
  assert.equal(rest.metadata.continue, undefined);
  await rejectsWith(list('pages', { continue: 'nonsense' }), 'BadRequest');
});

test('list as of an exact version', async () => {
  const [first] = await make('exact', 'a', 'b');
  const resourceVersion = first?.metadata.resourceVersion ?? '';
  assert.equal(namesOf(await list('exact', { resourceVersion, resourceVersionMatch: 'Exact' })), 'a');
  assert.equal(namesOf(await list('exact', { resourceVersion, resourceVersionMatch: 'NotOlderThan' })), 'a b');
  await rejectsWith(list('exact', { resourceVersionMatch: 'Exact' }), 'Invalid');
});

test('update needs the current version, and a change that changes nothing is not written', async () => {
  const [made] = await make('conflict', 'a');
  const path = `${pathIn('conflict')}/a`;
  const changed = await transport.request<ConfigMap>({ method: 'PUT', path, body: { ...made, data: { k: 'w' } } });
  await rejectsWith(transport.request({ method: 'PUT', path, body: { ...made, data: { k: 'x' } } }), 'Conflict');
  const same = await transport.request<ConfigMap>({ method: 'PUT', path, body: changed });
  assert.equal(same.metadata.resourceVersion, changed.metadata.resourceVersion);
  const other = { ...changed, metadata: { ...changed.metadata, uid: 'other' } };
  await rejectsWith(transport.request({ method: 'PUT', path, body: other }), 'Conflict');
});

test('delete waits for finalizers', async () => {
  const path = `${pathIn('finalize')}/a`;
  const body = { metadata: { name: 'a', finalizers: ['example.com/held'] } };
  await transport.request({ method: 'POST', path: pathIn('finalize'), body });
  const marked = await transport.request<ConfigMap>({ method: 'DELETE', path });
  assert.equal(marked.metadata.deletionTimestamp, '2026-01-01T00:00:00Z');
  assert.equal((await transport.request<ConfigMap>({ method: 'GET', path })).metadata.name, 'a');
  const letGo = { method: 'PATCH', path, contentType: 'application/merge-patch+json' } as const;
  await transport.request({ ...letGo, body: { metadata: { finalizers: null } } });
  await rejectsWith(transport.request({ method: 'GET', path }), 'NotFound');
});

test('delete keeps to its preconditions', async () => {
  const [made] = await make('preconditions', 'a');
  const path = `${pathIn('preconditions')}/a`;
  const body = (preconditions: object) => ({ kind: 'DeleteOptions', apiVersion: 'v1', preconditions });
  await rejectsWith(transport.request({ method: 'DELETE', path, body: body({ uid: 'other' }) }), 'Conflict');
  await rejectsWith(transport.request({ method: 'DELETE', path, body: body({ resourceVersion: '1' }) }), 'Conflict');
  await transport.request({ method: 'DELETE', path, body: body({ uid: made?.metadata.uid }) });
});

test('dry runs answer as if, and write nothing', async () => {
  const query = { dryRun: 'All' };
  const body = { metadata: { name: 'a' } };
  const made = await transport.request<ConfigMap>({ method: 'POST', path: pathIn('dry'), query, body });
  assert.ok(made.metadata.uid);
  assert.equal(namesOf(await list('dry')), '');
  await make('dry', 'b');
  await transport.request({ method: 'DELETE', path: `${pathIn('dry')}/b`, query });
  assert.equal(namesOf(await list('dry')), 'b');
  await rejectsWith(
    transport.request({ method: 'POST', path: pathIn('dry'), query: { dryRun: 'Some' }, body }),
    'Invalid',
  );
});

test('create generates names, and refuses what does not fit its path', async () => {
  const body = { metadata: { generateName: 'gen-' } };
  const made = await transport.request<ConfigMap>({ method: 'POST', path: pathIn('names'), body });
  assert.match(made.metadata.name, /^gen-[a-z0-9]{5}$/);
  const refuse = (metadata: object) => transport.request({ method: 'POST', path: pathIn('names'), body: { metadata } });
  await rejectsWith(refuse({ name: 'a', namespace: 'other' }), 'BadRequest');
  await rejectsWith(refuse({ name: 'A b' }), 'Invalid');
  await rejectsWith(refuse({}), 'Invalid');
  await make('names', 'twice');
  await rejectsWith(make('names', 'twice'), 'AlreadyExists');
});

test('fieldValidation refuses or drops what the kind does not know', async () => {
  const body = { metadata: { name: 'a' }, nonsense: 1 };
  const create = (fieldValidation: string) =>
    transport.request<ConfigMap>({ method: 'POST', path: pathIn('fields'), query: { fieldValidation }, body });
  await rejectsWith(create('Strict'), 'BadRequest');
  assert.equal('nonsense' in (await create('Ignore')), false);
});

test('apply creates, changes, and tells conflicts', async () => {
  const path = `${pathIn('apply')}/a`;
  const apply = (fieldManager: string, data: object, query: object = {}) =>
    transport.request<ConfigMap>({
      method: 'PATCH',
      path,
      query: { fieldManager, ...query },
      contentType: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data },
    });
  assert.deepEqual((await apply('one', { k: '1', gone: 'x' })).data, { k: '1', gone: 'x' });
  assert.deepEqual((await apply('one', { k: '2' })).data, { k: '2' });
  await rejectsWith(apply('two', { k: '3' }), 'Conflict');
  assert.deepEqual((await apply('two', { k: '3' }, { force: true })).data, { k: '3' });
});

test('deletecollection deletes what is selected', async () => {
  await make('collection', 'a', 'b', 'c');
  const query = { labelSelector: 'name!=b' };
  await transport.request({ method: 'DELETE', path: pathIn('collection'), query });
  assert.equal(namesOf(await list('collection')), 'b');
});

test('list goes on as of now once the first page is compacted away, where the client takes that', async () => {
  await make('compacted', 'a', 'b', 'c');
  const first = await list('compacted', { limit: 1 });
  await make('elsewhere', 'a');
  for (let i = 0; i < 2; i += 1) await clock.advance(5 * 60_000);
  const token = await list('compacted', { limit: 1, continue: first.metadata.continue ?? '' }).then(
    () => assert.fail('the first page is still there'),
    (error: StatusError) => (error.status.metadata as { continue?: string }).continue ?? '',
  );
  const second = await list('compacted', { limit: 1, continue: token });
  assert.equal(namesOf(second), 'b');
  assert.notEqual(second.metadata.resourceVersion, first.metadata.resourceVersion);
});
