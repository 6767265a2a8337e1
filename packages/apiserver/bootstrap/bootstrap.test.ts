import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject, ListOf } from '@kubernode/api';
import type { APIService } from '@kubernode/api/apiregistration/v1';
import type { FlowSchema } from '@kubernode/api/flowcontrol/v1';
import type { ClusterRole, ClusterRoleBinding } from '@kubernode/api/rbac/v1';
import { silentLogger } from '@kubernode/machinery';
import { memoryStore, prefixRange, type Store } from '@kubernode/store';
import { parseRuntimeConfig } from '../runtime-config.ts';
import { startSecured } from '../secured-testing.ts';
import { readBootstrapFacts } from './facts.ts';
import { identityLeaseHooks } from './identity-lease.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const flowSchemas = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';

async function start(store: Store = memoryStore()) {
  const secured = await startSecured({ store });
  const { admin } = secured;
  const get = <T>(path: string) => admin.request<T>({ method: 'GET', path });
  const patch = (path: string, body: object) =>
    admin.request({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
  const namesOf = async (path: string) =>
    (await get<ListOf<KubernetesObject>>(path)).items.map(({ metadata }) => metadata.name);
  /** Lets what was scheduled for later happen, and its requests be answered; files may have to be read again for it. */
  const settle = async (ms: number) => {
    secured.clock.advance(ms);
    for (let round = 0; round < 50; round += 1) {
      if (round % 10 === 0) await readBootstrapFacts();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { ...secured, get, patch, namesOf, settle };
}

test('bootstrapHooks fill a fresh cluster, and write nothing that is there', async () => {
  const store = memoryStore();
  const { server, get, namesOf } = await start(store);
  assert.deepEqual(await namesOf('/api/v1/namespaces'), ['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  assert.equal((await namesOf(`${rbac}/clusterroles`)).length, 73);
  assert.equal((await namesOf(`${rbac}/rolebindings`)).length, 7);
  assert.equal((await namesOf(flowSchemas)).length, 11);
  const service = await get<{ spec: { clusterIP: string } }>('/api/v1/namespaces/default/services/kubernetes');
  assert.equal(service.spec.clusterIP, '10.96.0.1');
  const slices = await namesOf('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices');
  assert.deepEqual(slices, ['kubernetes']);
  await server.stop();
  const revision = await store.revision();
  const again = await start(store);
  await again.server.stop();
  // The identity lease is renewed; the server joins the endpoints of its Service and leaves them again (3 writes each).
  assert.equal(await store.revision(), revision + 7);
});

test('bootstrapHooks make nothing of groups that --runtime-config turns off', async () => {
  for (const group of ['rbac.authorization.k8s.io', 'scheduling.k8s.io', 'flowcontrol.apiserver.k8s.io']) {
    for (const withoutPrepared of [false, true]) {
      const store = memoryStore();
      const runtimeConfig = parseRuntimeConfig(`${group}/v1=false`);
      const { server } = await startSecured({ store, runtimeConfig, withoutPrepared });
      const { entries } = await store.list(prefixRange('/registry/'));
      assert.deepEqual(
        entries.filter(({ key }) => key.includes(group)),
        [],
      );
      await server.stop();
    }
  }
});

test('reconcileRbac gives default roles back what they lack, and leaves what was added', async () => {
  const store = memoryStore();
  const first = await start(store);
  const view = `${rbac}/clusterroles/system:aggregate-to-view`;
  const own = { apiGroups: ['example.com'], resources: ['things'], verbs: ['get'] };
  const { rules: before } = await first.get<ClusterRole>(view);
  await first.patch(view, { rules: [own, ...before.slice(1)] });
  await first.patch(`${rbac}/clusterroles/edit`, { metadata: { labels: null } });
  await first.patch(`${rbac}/clusterrolebindings/system:basic-user`, { subjects: [] });
  const protectedRole = `${rbac}/clusterroles/system:discovery`;
  const off = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
  await first.patch(protectedRole, { metadata: { annotations: off }, rules: [] });
  await first.server.stop();
  const { server, get } = await start(store);
  const { rules } = await get<ClusterRole>(view);
  assert.ok(
    rules.some(({ apiGroups }) => apiGroups?.includes('example.com')),
    'what was added stays',
  );
  const readable = (resource: string) =>
    rules.some(({ resources, verbs }) => resources?.includes(resource) && verbs.includes('watch'));
  assert.ok(before[0]?.resources?.every(readable), 'what was taken away is back');
  const edit = await get<ClusterRole>(`${rbac}/clusterroles/edit`);
  assert.equal(edit.metadata.labels?.['kubernetes.io/bootstrapping'], 'rbac-defaults');
  const binding = await get<ClusterRoleBinding>(`${rbac}/clusterrolebindings/system:basic-user`);
  assert.equal(binding.subjects?.[0]?.name, 'system:authenticated');
  assert.deepEqual((await get<ClusterRole>(protectedRole)).rules ?? [], []);
  await server.stop();
});

test('ensureFlowControl puts specs back that nobody took over', async () => {
  const { server, get, patch, admin, settle } = await start();
  const precedence = async (name: string) => (await get<FlowSchema>(`${flowSchemas}/${name}`)).spec.matchingPrecedence;
  await patch(`${flowSchemas}/probes`, { spec: { matchingPrecedence: 77 } });
  const off = { 'apf.kubernetes.io/autoupdate-spec': 'false' };
  await patch(`${flowSchemas}/system-nodes`, { metadata: { annotations: off }, spec: { matchingPrecedence: 78 } });
  await patch(`${flowSchemas}/catch-all`, { metadata: { annotations: off } });
  await admin.request({ method: 'DELETE', path: `${flowSchemas}/kube-scheduler` });
  await settle(1_000);
  assert.deepEqual([await precedence('probes'), await precedence('system-nodes')], [2, 78]);
  assert.equal(await precedence('kube-scheduler'), 800);
  const { metadata } = await get<FlowSchema>(`${flowSchemas}/catch-all`);
  assert.equal(metadata.annotations?.['apf.kubernetes.io/autoupdate-spec'], 'true');
  await server.stop();
});

test('keep restores the kubernetes Service and its endpoints', async () => {
  const { server, get, admin, settle } = await start();
  const service = '/api/v1/namespaces/default/services/kubernetes';
  await admin.request({ method: 'DELETE', path: service });
  await admin.request({
    method: 'DELETE',
    path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
  });
  await settle(1_000);
  const slice = await get<{ endpoints: { addresses: string[] }[] }>(
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
  );
  assert.deepEqual(slice.endpoints[0]?.addresses, ['192.0.2.1']);
  const { spec } = await get<{ spec: { ports: { targetPort: number }[] } }>(service);
  assert.equal(spec.ports[0]?.targetPort, 6443);
  await server.stop();
});

test('autoRegisterHook keeps an APIService for each version of a custom resource', async () => {
  const { server, get, admin, namesOf, settle } = await start();
  const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
  const schema = { openAPIV3Schema: { type: 'object' } };
  await admin.request({
    method: 'POST',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: {
      metadata: { name: 'crontabs.stable.example.com' },
      spec: {
        group: 'stable.example.com',
        scope: 'Namespaced',
        names: { plural: 'crontabs', kind: 'CronTab' },
        versions: [
          { name: 'v1', served: true, storage: true, schema },
          { name: 'v2', served: false, storage: false, schema },
        ],
      },
    },
  });
  await settle(20);
  const { metadata, spec, status } = await get<APIService>(`${apiServices}/v1.stable.example.com`);
  assert.deepEqual(metadata.labels, { 'kube-aggregator.kubernetes.io/automanaged': 'true' });
  assert.deepEqual([spec?.groupPriorityMinimum, spec?.versionPriority], [1000, 100]);
  assert.equal(status?.conditions?.[0]?.reason, 'Local');
  await admin.request({ method: 'DELETE', path: `${apiServices}/v1.stable.example.com` });
  await settle(20);
  const names = await namesOf(apiServices);
  assert.ok(names.includes('v1.stable.example.com'), 'it is made again');
  assert.ok(!names.includes('v2.stable.example.com'), 'not of a version that is not served');
  await server.stop();
});

test('identityLeaseHooks remove the leases of servers that are gone', async () => {
  const { server, admin, namesOf, clock } = await start();
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
  const spec = { holderIdentity: 'a', leaseDurationSeconds: 3600, renewTime: '1999-01-01T00:00:00.000000Z' };
  await admin.request({ method: 'POST', path: leases, body: { metadata: { name: 'apiserver-old', labels }, spec } });
  await admin.request({ method: 'POST', path: leases, body: { metadata: { name: 'other' }, spec } });
  const collector = identityLeaseHooks({ clock, log: silentLogger, state: () => server.state })[1]!;
  const stop = new AbortController();
  await collector.run({ transport: admin, signal: stop.signal } as Parameters<typeof collector.run>[0]);
  stop.abort();
  const left = await namesOf(leases);
  assert.ok(!left.includes('apiserver-old') && left.includes('other') && left.length === 2);
  await server.stop();
});
