import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError, type KubernetesObject } from '@kubernode/api';
import type { Service } from '@kubernode/api/core/v1';
import { seededRandom } from '@kubernode/machinery';
import { IpAllocator } from './ip-allocator.ts';
import { PortAllocator } from './port-allocator.ts';
import { serviceWriteHook } from './write-hook.ts';

function nodePortWrite(dryRun = false) {
  const spec = { type: 'NodePort', selector: { a: 'b' }, ports: [{ port: 80, protocol: 'TCP' }] };
  const object = {
    metadata: { name: 's', namespace: 'n' },
    spec,
    status: { loadBalancer: {} },
  } as unknown as KubernetesObject;
  return { object, old: undefined, dryRun };
}

test('serviceWriteHook takes before a write, keeps after it, and gives back after a failure or a deletion', async () => {
  const ips = new IpAllocator('10.96.0.0/16');
  const nodePorts = new PortAllocator();
  const objects = new Set<string>();
  const addresses = {
    create: async (ip: string) => void objects.add(ip),
    remove: async (ip: string) => void objects.delete(ip),
  };
  const hook = serviceWriteHook({ ips: [ips], nodePorts, random: seededRandom(1) }, addresses);
  const used = () => [ips.usedCount, nodePorts.usedCount, objects.size];

  const failed = await hook.beforeWrite?.(nodePortWrite());
  assert.deepEqual(used(), [1, 1, 1]);
  await failed?.();
  assert.deepEqual(used(), [0, 0, 0]);

  assert.equal(await hook.beforeWrite?.(nodePortWrite(true)), undefined);
  assert.deepEqual(used(), [0, 0, 0]);

  const stored = nodePortWrite();
  const undo = await hook.beforeWrite?.(stored);
  await hook.afterWrite?.(stored);
  await undo?.();
  assert.deepEqual(used(), [1, 1, 1]);
  await hook.afterDelete?.(stored.object);
  assert.deepEqual(used(), [0, 0, 0]);
});

test('serviceWriteHook gives ports back where an address cannot be taken out of the book', async () => {
  const nodePorts = new PortAllocator();
  const addresses = {
    create: async () => {},
    remove: () => Promise.reject(new Error('refused')),
  };
  const ips = [new IpAllocator('10.96.0.0/16')];
  const hook = serviceWriteHook({ ips, nodePorts, random: seededRandom(1) }, addresses);
  const stored = nodePortWrite();
  await hook.beforeWrite?.(stored);
  await hook.afterWrite?.(stored);
  assert.equal(nodePorts.usedCount, 1);
  await assert.rejects(async () => hook.afterDelete?.(stored.object), /refused/);
  assert.equal(nodePorts.usedCount, 0);
  const failed = await hook.beforeWrite?.(nodePortWrite());
  await assert.rejects(async () => failed?.(), /refused/);
  assert.equal(nodePorts.usedCount, 0);
});

test('serviceWriteHook takes another address where one is written down for a Service that was never made', async () => {
  const ips = new IpAllocator('10.96.0.0/29');
  const leaked = new Set(['10.96.0.1', '10.96.0.2', '10.96.0.3', '10.96.0.4', '10.96.0.5']);
  const addresses = {
    async create(ip: string) {
      if (leaked.has(ip)) throw StatusError.alreadyExists({ group: 'networking.k8s.io', plural: 'ipaddresses' }, ip);
    },
    remove: async () => {},
  };
  const hook = serviceWriteHook({ ips: [ips], nodePorts: new PortAllocator(), random: seededRandom(1) }, addresses);
  const write = (clusterIP: string) => {
    const spec = { type: 'ClusterIP', clusterIP, ports: [{ port: 80, protocol: 'TCP' }] };
    const object = {
      metadata: { name: 's', namespace: 'n' },
      spec: clusterIP ? { ...spec, clusterIPs: [clusterIP] } : spec,
    };
    return { object: object as unknown as KubernetesObject, old: undefined, dryRun: false };
  };
  const dynamic = write('');
  await hook.beforeWrite?.(dynamic);
  assert.equal((dynamic.object as unknown as Service).spec.clusterIP, '10.96.0.6');
  assert.equal(ips.usedCount, 1);
  await assert.rejects(
    async () => hook.beforeWrite?.(write('10.96.0.3')),
    /failed to allocate IP 10.96.0.3: .*already exists/,
  );
  assert.equal(ips.usedCount, 1);
});
