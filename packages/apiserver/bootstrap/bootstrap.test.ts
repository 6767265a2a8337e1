import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject, ListOf } from '@kubernode/api';
import { startSecured } from '../secured-testing.ts';

test('bootstrapHook fills a fresh cluster, and writes nothing that is there', async () => {
  const { server, admin } = await startSecured();
  const list = (path: string) => admin.request<ListOf<KubernetesObject>>({ method: 'GET', path });
  const namesOf = async (path: string) => (await list(path)).items.map(({ metadata }) => metadata.name);
  assert.deepEqual(await namesOf('/api/v1/namespaces'), ['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  assert.equal((await namesOf(`${rbac}/clusterroles`)).length, 73);
  assert.equal((await namesOf(`${rbac}/rolebindings`)).length, 7);
  assert.equal((await namesOf('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas')).length, 11);
  const service = await admin.request<{ spec: { clusterIP: string } }>({
    method: 'GET',
    path: '/api/v1/namespaces/default/services/kubernetes',
  });
  assert.equal(service.spec.clusterIP, '10.96.0.1');
  const slices = await namesOf('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices');
  assert.deepEqual(slices, ['kubernetes']);
  await server.stop();
});
