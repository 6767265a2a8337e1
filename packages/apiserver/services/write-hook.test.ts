import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@kubernode/api';
import { seededRandom } from '@kubernode/machinery';
import { IpAllocator } from './ip-allocator.ts';
import { PortAllocator } from './port-allocator.ts';
import { serviceWriteHook } from './write-hook.ts';

test('serviceWriteHook takes before a write, keeps after it, and gives back after a failure or a deletion', async () => {
  const ips = new IpAllocator('10.96.0.0/16');
  const nodePorts = new PortAllocator();
  const objects = new Set<string>();
  const addresses = {
    create: async (ip: string) => void objects.add(ip),
    remove: async (ip: string) => void objects.delete(ip),
  };
  const hook = serviceWriteHook({ ips: [ips], nodePorts, random: seededRandom(1) }, addresses);
  const write = (dryRun = false) => {
    const spec = { type: 'NodePort', selector: { a: 'b' }, ports: [{ port: 80, protocol: 'TCP' }] };
    const object = {
      metadata: { name: 's', namespace: 'n' },
      spec,
      status: { loadBalancer: {} },
    } as unknown as KubernetesObject;
    return { object, old: undefined, dryRun };
  };
  const used = () => [ips.usedCount, nodePorts.usedCount, objects.size];

  const failed = await hook.beforeWrite?.(write());
  assert.deepEqual(used(), [1, 1, 1]);
  await failed?.();
  assert.deepEqual(used(), [0, 0, 0]);

  assert.equal(await hook.beforeWrite?.(write(true)), undefined);
  assert.deepEqual(used(), [0, 0, 0]);

  const stored = write();
  const undo = await hook.beforeWrite?.(stored);
  await hook.afterWrite?.(stored);
  await undo?.();
  assert.deepEqual(used(), [1, 1, 1]);
  await hook.afterDelete?.(stored.object);
  assert.deepEqual(used(), [0, 0, 0]);
});
