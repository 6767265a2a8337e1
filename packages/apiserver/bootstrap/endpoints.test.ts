import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoints } from '@kubernode/api/core/v1';
import type { Lease } from '@kubernode/api/coordination/v1';
import type { EndpointSlice } from '@kubernode/api/discovery/v1';
import type { ListOf } from '@kubernode/api';
import { memoryStore, type Store } from '@kubernode/store';
import { startSecured } from '../secured-testing.ts';
import { byCount } from './endpoint-reconciler.ts';
import type { EndpointOptions } from './service-hook.ts';

/** One API server of several; each has its own clock: one whose clock stands still is dead to the others. */
async function start(store: Store, address: string, options: EndpointOptions = {}) {
  const { server, admin, clock } = await startSecured({ store, address, ...options });
  const get = <T>(path: string) => admin.request<T>({ method: 'GET', path });
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) await clock.advance(1_000);
  };
  const addresses = async () => {
    const { subsets } = await get<Endpoints>('/api/v1/namespaces/default/endpoints/kubernetes');
    const slice = await get<EndpointSlice>('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes');
    const listed = subsets?.flatMap((subset) => subset.addresses?.map(({ ip }) => ip) ?? []) ?? [];
    assert.deepEqual(slice.endpoints?.flatMap((endpoint) => endpoint.addresses) ?? [], listed);
    return listed;
  };
  return { server, get, pass, addresses };
}

test('serviceHook lists all servers of a store, and drops the one that died', async () => {
  const store = memoryStore();
  const first = await start(store, '192.0.2.1');
  const second = await start(store, '192.0.2.2');
  assert.deepEqual(await first.addresses(), ['192.0.2.1', '192.0.2.2']);
  await second.pass(25);
  assert.deepEqual(await second.addresses(), ['192.0.2.2']);
  await first.pass(25);
  assert.deepEqual(await first.addresses(), ['192.0.2.1', '192.0.2.2'], 'it was only slow');
  await second.server.stop();
  assert.deepEqual(await first.addresses(), ['192.0.2.1'], 'who ends says so');
  await first.server.stop();
  const later = await start(store, '192.0.2.3', { endpointReconciler: 'none' });
  assert.deepEqual(await later.addresses(), []);
  await later.server.stop();
});

test('serviceHook keeps nothing of a server that left, however late its renewal', async () => {
  const store = memoryStore();
  const { server } = await start(store, '192.0.2.1');
  await server.stop();
  const { entries } = await store.list({ from: '/registry/masterleases/', to: '/registry/masterleases0' });
  assert.deepEqual(entries, []);
});

test('identityLeaseHooks renew every ten seconds', async () => {
  const { server, get, pass } = await start(memoryStore(), '192.0.2.1');
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  const renewed = async () => (await get<ListOf<Lease>>(leases)).items[0]?.spec?.renewTime ?? '';
  const before = await renewed();
  await pass(11);
  assert.equal(Date.parse(await renewed()) - Date.parse(before), 10_000);
  await server.stop();
});

const counts: readonly [listed: string[], own: string, count: number, expected: string[]][] = [
  [[], 'b', 1, ['b']],
  [['a'], 'b', 2, ['a', 'b']],
  [['a'], 'b', 1, ['b']],
  [['a', 'c'], 'b', 2, ['a', 'b']],
  [['a', 'b', 'd'], 'c', 2, ['b', 'c']],
];
for (const [listed, own, count, expected] of counts)
  test(`byCount of ${own} among [${listed.join()}], ${count} at most`, async () => {
    const reconciler = byCount(own, count);
    assert.deepEqual(await reconciler.join(listed), expected);
    assert.ok(!(await reconciler.leave(expected)).includes(own));
  });
