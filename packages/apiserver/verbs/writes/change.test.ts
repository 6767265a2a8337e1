import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@kubernode/api';
import type { ConfigMap, Service } from '@kubernode/api/core/v1';
import type { Role } from '@kubernode/api/rbac/v1';
import { contendedStore } from '../../contended-testing.ts';
import { startSecured } from '../../secured-testing.ts';

const core = '/api/v1/namespaces/default';
const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';

test('changeObject applies to what somebody else made meanwhile, as a second manager', async (t) => {
  const store = contendedStore('/configmaps/default/shared');
  const { server, admin, create } = await startSecured({ store });
  t.after(() => server.stop());
  const path = `${core}/configmaps/shared`;
  const apply = (manager: string, data: Record<string, string>) =>
    admin.request<ConfigMap>({
      method: 'PATCH',
      path,
      query: { fieldManager: manager },
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' }, data },
      contentType: 'application/apply-patch+yaml',
    });
  store.interferences.push(() => create(`${core}/configmaps`, { metadata: { name: 'shared' }, data: { a: '1' } }));
  const applied = await apply('second', { b: '2' });
  assert.deepEqual(applied.data, { a: '1', b: '2' });
  assert.deepEqual(
    applied.metadata.managedFields?.map(({ operation }) => operation),
    ['Apply', 'Update'],
  );
});

test('changeObject replaces by a PUT that may create what somebody else made meanwhile', async (t) => {
  const store = contendedStore('/roles/default/r');
  const { server, admin, create } = await startSecured({ store });
  t.after(() => server.stop());
  const role = (verb: string) => ({
    metadata: { name: 'r' },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: [verb] }],
  });
  let other: Role | undefined;
  store.interferences.push(async () => (other = await create<Role>(roles, role('get'))));
  const put = await admin.request<Role>({ method: 'PUT', path: `${roles}/r`, body: role('list') });
  assert.deepEqual(put.rules?.[0]?.verbs, ['list']);
  assert.equal(put.metadata.uid, other?.metadata.uid);
});

test('changeObject that lets go of what was made anew meanwhile gives nothing of it back', async (t) => {
  const store = contendedStore('/services/default/s');
  const { server, admin, create } = await startSecured({ store });
  t.after(() => server.stop());
  const path = `${core}/services/s`;
  const spec = { clusterIP: '10.96.0.7', ports: [{ port: 80 }] };
  await create(`${core}/services`, { metadata: { name: 's', finalizers: ['example.com/a'] }, spec });
  await admin.request({ method: 'DELETE', path });
  store.interferences.push(async (others, key, there) => {
    const anew = JSON.parse(Buffer.from(there!.value).toString()) as { metadata: Record<string, unknown> };
    for (const field of ['finalizers', 'deletionTimestamp', 'deletionGracePeriodSeconds']) delete anew.metadata[field];
    await others.write([{ key, value: Buffer.from(JSON.stringify(anew)), expect: 'any' }]);
  });
  const contentType = 'application/merge-patch+json';
  await admin.request({ method: 'PATCH', path, body: { metadata: { finalizers: null } }, contentType });
  assert.equal(store.interferences.length, 0);
  assert.equal((await admin.request<Service>({ method: 'GET', path })).spec.clusterIP, '10.96.0.7');
  const addresses = '/apis/networking.k8s.io/v1/ipaddresses';
  await admin.request<KubernetesObject>({ method: 'GET', path: `${addresses}/10.96.0.7` });
});
