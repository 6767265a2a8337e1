/** Helm, unchanged: a release of a chart with a CustomResourceDefinition and hooks, from its install to its end. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { StatusError } from '@kubernode/api';
import { startClientsServer, type ClientsServer } from './clients.ts';
import { goProgram } from './clients-programs.ts';

const { path, skip } = goProgram('helm');
const chart = join(import.meta.dirname, '..', 'clients', 'chart');
const namespace = 'bakery';
const core = `/api/v1/namespaces/${namespace}`;
const apps = `/apis/apps/v1/namespaces/${namespace}`;
let server: ClientsServer;

interface Release {
  readonly name: string;
  readonly revision: string;
  readonly status: string;
  readonly chart: string;
}
interface Deployment {
  readonly spec: { readonly replicas: number };
  readonly status: { readonly availableReplicas?: number };
}

const helm = (...args: string[]) => server.output(path, [...args, '--namespace', namespace]);
const json = async <T>(...args: string[]) => JSON.parse(await helm(...args, '--output', 'json')) as T;
const get = <T = { data: Record<string, string> }>(path: string) => server.admin.request<T>({ method: 'GET', path });
const isMissing = (path: string) =>
  get(path).then(
    () => false,
    (error: StatusError) => error.code === 404,
  );
const releases = async () =>
  (await json<Release[]>('list')).map(({ name, revision, status }) => [name, revision, status]);

before(async () => {
  if (!skip) server = await startClientsServer();
});
after(() => server?.stop());

test('helm install: definitions, hooks and objects, and waits for them', { skip }, async () => {
  const out = await helm(
    'install',
    'web',
    chart,
    '--create-namespace',
    '--wait',
    '--set',
    'replicas=2',
    '--timeout=60s',
  );
  assert.match(out, /STATUS: deployed\n[^]*REVISION: 1\n[^]*web says hello\./);
  const { spec, status } = await get<Deployment>(`${apps}/deployments/web`);
  assert.deepEqual([spec.replicas, status.availableReplicas], [2, 2]);
  assert.deepEqual((await get(`${core}/configmaps/web`)).data, { greeting: 'hello', known: 'false', serves: 'true' });
  const job = await get<{ status: { succeeded: number } }>(`/apis/batch/v1/namespaces/${namespace}/jobs/web-prepare-1`);
  assert.equal(job.status.succeeded, 1);
  assert.equal(await isMissing(`/apis/bakery.example.com/v1/namespaces/${namespace}/ovens/web`), false);
  assert.deepEqual(await releases(), [['web', '1', 'deployed']]);
  const again = await server.run(path, ['install', 'web', chart, '--namespace', namespace]);
  assert.match(again.stderr, /cannot reuse a name that is still in use/);
});

test('helm upgrade and helm get: new values, and what was applied', { skip }, async () => {
  const values = ['--reuse-values', '--set', 'greeting=good morning'];
  await helm('upgrade', 'web', chart, ...values, '--wait', '--timeout=60s');
  assert.equal((await get(`${core}/configmaps/web`)).data['greeting'], 'good morning');
  assert.equal((await get<Deployment>(`${apps}/deployments/web`)).spec.replicas, 2);
  assert.deepEqual(await json('get', 'values', 'web'), { greeting: 'good morning', replicas: 2 });
  assert.match(await helm('get', 'manifest', 'web'), /kind: Oven/);
  assert.match(await helm('get', 'hooks', 'web'), /web-prepare-2/);
  assert.match(await helm('test', 'web', '--timeout=30s'), /Phase: +Succeeded/);
  assert.deepEqual(await releases(), [['web', '2', 'deployed']]);
});

test('helm upgrade: what the server refuses is told, and the release is failed', { skip }, async () => {
  const failed = await server.run(path, ['upgrade', 'web', chart, '--set', 'replicas=-1', '--namespace', namespace]);
  assert.notEqual(failed.code, 0);
  assert.match(failed.stderr, /spec\.replicas: Invalid value: -1: must be greater than or equal to 0/);
  const history = await json<{ revision: number; status: string }[]>('history', 'web');
  assert.deepEqual(
    history.map(({ revision, status }) => `${revision} ${status}`),
    ['1 superseded', '2 deployed', '3 failed'],
  );
});

test('helm rollback: as it was', { skip }, async () => {
  await helm('rollback', 'web', '1', '--wait', '--timeout=60s');
  assert.equal((await get(`${core}/configmaps/web`)).data['greeting'], 'hello');
  assert.match(await helm('status', 'web'), /STATUS: deployed\n[^]*REVISION: 4/);
  assert.match(await helm('history', 'web'), /Rollback to 1/);
});

test('helm uninstall: all of it but definitions, and its last hook', { skip }, async () => {
  assert.match(await helm('uninstall', 'web', '--wait', '--timeout=60s'), /release "web" uninstalled/);
  const gone = [`${apps}/deployments/web`, `${core}/services/web`, `${core}/configmaps/web`];
  for (const object of gone) assert.equal(await isMissing(object), true, object);
  assert.equal(await isMissing(`${core}/configmaps/web-farewell`), false);
  assert.equal(
    await isMissing('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/ovens.bakery.example.com'),
    false,
  );
  assert.deepEqual(await releases(), []);
});
