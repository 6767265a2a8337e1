import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { isReason, type KubernetesObject, type StatusError } from '@kubernode/api';
import type { Service } from '@kubernode/api/core/v1';
import type { Scale } from '@kubernode/api/autoscaling/v1';
import { memoryStore } from '@kubernode/store';
import { startSecured } from '../../secured-testing.ts';

const core = '/api/v1/namespaces/default';
let secured: Awaited<ReturnType<typeof startSecured>>;
before(async () => {
  secured = await startSecured();
});
after(() => secured.server.stop());

const put = <T = KubernetesObject>(path: string, body: object) =>
  secured.admin.request<T>({ method: 'PUT', path, body });
const merge = <T = KubernetesObject>(path: string, body: object) =>
  secured.admin.request<T>({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });

test('update creates what misses, for the kinds that allow it', async () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const lease = await put(`${leases}/l`, { metadata: { name: 'l', resourceVersion: '5' } });
  assert.ok(lease.metadata.uid);
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
  assert.equal((await put(`${roles}/r`, { metadata: { name: 'r' }, rules: [] })).metadata.name, 'r');
  await assert.rejects(put(`${core}/secrets/s`, { metadata: { name: 's' } }), (error) => isReason(error, 'NotFound'));
});

test('patch of a status leaves what the spec took alone', async () => {
  const spec = { type: 'LoadBalancer', selector: { app: 'a' }, ports: [{ port: 80 }] };
  const made = await secured.create<Service>(`${core}/services`, { metadata: { name: 'lb' }, spec });
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } };
  const patched = await merge<Service>(`${core}/services/lb/status`, { status });
  assert.deepEqual(patched.spec, made.spec);
  assert.equal(patched.status.loadBalancer.ingress?.[0]?.ip, '192.0.2.7');
});

test('create as a dry run looks for no free address', async () => {
  const body = { metadata: { name: 'tried' }, spec: { selector: { app: 'a' }, ports: [{ port: 80 }] } };
  const tried = await secured.create<Service>(`${core}/services`, body, { dryRun: 'All' });
  assert.equal(tried.spec.clusterIP, '10.96.0.0');
});

test('patch of a scale that is none is the fault of the patch', async () => {
  const labels = { app: 'a' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const path = '/apis/apps/v1/namespaces/default/deployments';
  await secured.create(path, { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } });
  assert.equal((await merge<Scale>(`${path}/d/scale`, { spec: { replicas: 3 } })).spec.replicas, 3);
  await assert.rejects(merge(`${path}/d/scale`, { spec: { replicas: 'x' } }), (error) => isReason(error, 'Invalid'));
});

test('patch of an unknown type is refused by the route, of a custom resource by its handler', async () => {
  const subresources = { scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = [{ name: 'v1', served: true, storage: true, schema, subresources }];
  const names = { plural: 'crates', kind: 'Crate' };
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions };
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await secured.create(definitions, { metadata: { name: 'crates.example.com' }, spec });
  const refusal = async (path: string, contentType: string): Promise<string> => {
    const request = { method: 'PATCH', path, body: {}, contentType } as const;
    const { code, message } = await secured.admin.request<StatusError>(request).catch((error: StatusError) => error);
    return `${code} ${message}`;
  };
  const crates = '/apis/example.com/v1/namespaces/default/crates';
  const strategic = 'application/strategic-merge-patch+json';
  while ((await refusal(`${crates}/c`, strategic)).startsWith('404')) await setImmediate();
  const byRoute = '415 415: Unsupported Media Type';
  const byHandler =
    /^415 the body of the request was in an unknown format - accepted media types include: .*merge-patch/;
  assert.equal(await refusal(`${core}/secrets/s`, 'application/x'), byRoute);
  assert.equal(await refusal('/apis/apps/v1/namespaces/default/deployments/d/scale', 'application/x'), byRoute);
  assert.match(await refusal(`${crates}/c`, strategic), byHandler);
  assert.match(await refusal(`${crates}/c/scale`, strategic), byHandler);
});

test('patch after patch makes no object that is larger than one may be', async () => {
  const crates = '/apis/example.com/v1/namespaces/default/crates';
  await secured.create(crates, { apiVersion: 'example.com/v1', kind: 'Crate', metadata: { name: 'big' } });
  const fill = (name: string) => merge(`${crates}/big`, { [name]: 'x'.repeat(2_500_000) });
  await fill('a');
  await fill('b');
  await assert.rejects(fill('c'), (error) => isReason(error, 'RequestEntityTooLarge'));
  const read = await secured.admin.request<{ b?: string; c?: string }>({ method: 'GET', path: `${crates}/big` });
  assert.deepEqual([read.b?.length, read.c], [2_500_000, undefined]);
});

/** An object of an older version, which bounded none. */
async function storedLarge(bytes: number, finalizers: readonly string[]) {
  const store = memoryStore();
  const metadata = { name: 'large', namespace: 'default', resourceVersion: '0', uid: 'u', finalizers };
  const object = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata,
    spec: { holderIdentity: 'x'.repeat(bytes) },
  };
  const value = Buffer.from(JSON.stringify(object));
  await store.write([{ key: '/registry/coordination.k8s.io/leases/default/large', value, expect: 'absent' }]);
  const { server, admin } = await startSecured({ store });
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/large';
  const patch = (body: object) =>
    admin.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
  return { server, patch, ask: (method: 'GET' | 'DELETE') => admin.request<KubernetesObject>({ method, path }) };
}

for (const bytes of [7_000_000, 6 * 1024 * 1024 - 250]) {
  test(`delete ends an object of ${bytes} bytes that finalizers hold, and lets it grow no more`, async (t) => {
    const { server, patch, ask } = await storedLarge(bytes, ['example.com/a', 'example.com/b']);
    t.after(() => server.stop());
    await ask('DELETE');
    assert.ok((await ask('GET')).metadata.deletionTimestamp);
    const grown = patch({ metadata: { annotations: { more: 'y'.repeat(100_000) } } });
    await assert.rejects(grown, (error) => isReason(error, 'RequestEntityTooLarge'));
    await patch({ metadata: { finalizers: ['example.com/b'] } });
    await patch({ metadata: { finalizers: null } });
    await assert.rejects(ask('GET'), (error) => isReason(error, 'NotFound'));
  });
}

test('create owns what was set, and not the lists that are only printed', async () => {
  const path = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
  const made = await secured.create<KubernetesObject>(path, {
    metadata: { name: 'e' },
    addressType: 'IPv4',
    endpoints: [],
  });
  assert.deepEqual(made.metadata.managedFields?.[0]?.fieldsV1, { 'f:addressType': {}, 'f:endpoints': {} });
});

test('create answers, in memory, with what nobody can change for others', async () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const made = await secured.create<KubernetesObject>(leases, { metadata: { name: 'frozen', labels: { a: 'b' } } });
  const read = await secured.admin.request<KubernetesObject>({ method: 'GET', path: `${leases}/frozen` });
  assert.ok(Object.isFrozen(read.metadata.labels));
  assert.deepEqual(made.metadata.labels, { a: 'b' });
});
