import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@kubernode/api';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { startApiServer } from '../server.ts';

const group = 'networking.k8s.io';
const cidrs = `/apis/${group}/v1/servicecidrs`;
const ips = `/apis/${group}/v1/ipaddresses`;
const services = '/api/v1/namespaces/default/services';

async function cluster(range = '10.96.0.0/29') {
  const clock = new FakeClock();
  const store = memoryStore();
  const log = silentLogger;
  const server = await startApiServer({ store, clock, log, random: seededRandom(7), serviceClusterIpRanges: [range] });
  const client = server.transport('system:admin');
  const create = <T>(path: string, body: object) => client.request<T>({ method: 'POST', path, body });
  const remove = (path: string) => client.request({ method: 'DELETE', path });
  await create('/api/v1/namespaces', { metadata: { name: 'default' } }).catch(() => {});
  const service = (name: string, spec: object = {}) =>
    create<{ spec: { clusterIP: string; ports: { nodePort?: number }[] } }>(services, {
      metadata: { name },
      spec: { ports: [{ port: 80 }], ...spec },
    });
  const addresses = () => server.state.list(group, 'ipaddresses').map(({ metadata }) => metadata.name);
  const warnings = () =>
    server.state.list('', 'events').map((event) => (event as KubernetesObject & { reason: string }).reason);
  const end = async () => {
    await server.stop();
    await store.close();
  };
  return { clock, server, client, create, remove, service, addresses, warnings, end };
}

test('Services have their addresses written down, and give them back', async () => {
  const { service, addresses, remove, create, end, client } = await cluster();
  const one = await service('one');
  assert.deepEqual(addresses(), [one.spec.clusterIP]);
  await assert.rejects(service('two', { clusterIP: one.spec.clusterIP }), /provided IP is already allocated/);
  const mine = one.spec.clusterIP === '10.96.0.3' ? '10.96.0.4' : '10.96.0.3';
  await create(ips, { metadata: { name: mine }, spec: { parentRef: { resource: 'others', name: 'x' } } });
  await assert.rejects(service('two', { clusterIP: mine }), /provided IP is already allocated/);
  const contentType = 'application/merge-patch+json';
  const body = { spec: { type: 'ExternalName', externalName: 'a.example.com', clusterIP: '', clusterIPs: null } };
  await client.request({ method: 'PATCH', path: `${services}/one`, contentType, body });
  assert.deepEqual(addresses(), [mine]);
  await service('three');
  await remove(`${services}/three`);
  assert.deepEqual(addresses(), [mine]);
  await end();
});

test('Services take addresses of every ServiceCIDR that is ready', async () => {
  const { service, create, remove, addresses, end, server } = await cluster();
  await create(cidrs, { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/29'] } });
  for (let index = 0; index < 6; index += 1) await service(`s-${index}`);
  await assert.rejects(service('late'), /range is full/);
  const metadata = { name: 'more', finalizers: ['example.com/hold'] };
  await create(cidrs, { metadata, spec: { cidrs: ['10.200.0.0/28'] } });
  assert.match((await service('late')).spec.clusterIP, /^10\.200\.0\./);
  await service('chosen', { clusterIP: '10.200.0.2' });
  assert.equal(addresses().length, 8);
  await remove(`${cidrs}/more`);
  assert.ok(server.state.get(group, 'servicecidrs', 'more')?.metadata.deletionTimestamp);
  await assert.rejects(service('last', { clusterIP: '10.200.0.3' }), /does not match the current range/);
  await assert.rejects(service('last'), /range is full/);
  await end();
});

test('AddressRepair writes down what misses, and removes what leaked', async () => {
  const { clock, create, service, remove, addresses, warnings, end } = await cluster();
  await create(cidrs, { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/29'] } });
  const { clusterIP } = (await service('one')).spec;
  await remove(`${ips}/${clusterIP}`);
  await clock.advance(100);
  assert.deepEqual(addresses(), [clusterIP]);
  const leaked = clusterIP === '10.96.0.5' ? '10.96.0.6' : '10.96.0.5';
  const labels = { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' };
  const parentRef = { resource: 'services', namespace: 'default', name: 'gone' };
  await create(ips, { metadata: { name: leaked, labels }, spec: { parentRef } });
  await clock.advance(30_000);
  assert.ok(addresses().includes(leaked));
  await clock.advance(31_000);
  assert.deepEqual(addresses(), [clusterIP]);
  assert.deepEqual(warnings().toSorted(), ['ClusterIPNotAllocated', 'IPAddressNotAllocated']);
  await end();
});

test('Services by the hundred are created without a look at each other', async () => {
  const { service, end } = await cluster('10.96.0.0/16');
  const startedMs = performance.now();
  for (let index = 0; index < 300; index += 1) await service(`s-${index}`, { type: 'NodePort' });
  assert.ok(performance.now() - startedMs < 3_000);
  await end();
});
