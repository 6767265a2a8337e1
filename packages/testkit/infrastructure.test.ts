import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReason } from '@kubernode/api';
import { ConfigMap, Endpoints, Namespace, Pod, Service, ServiceAccount } from '@kubernode/api/core/v1';
import { EndpointSlice } from '@kubernode/api/discovery/v1';
import type { Client } from '@kubernode/client';
import { startCluster } from './cluster.ts';

const isGone = (ask: Promise<unknown>) =>
  ask.then(
    () => undefined,
    (error: unknown) => (isReason(error, 'NotFound') ? true : Promise.reject(error as Error)),
  );

const addressesOf = async (client: Client) => {
  const { items } = await client.list(EndpointSlice, {
    namespace: 'default',
    labelSelector: 'kubernetes.io/service-name=web',
  });
  const ready = items.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions.ready);
  return ready.length === 1 ? ready : undefined;
};

test('startCluster: a service gets the endpoints of its pods', async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  const namespace = 'default';
  await client.create(Service, {
    metadata: { name: 'web', namespace },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  });
  const metadata = { name: 'a', namespace, labels: { app: 'web' } };
  await client.create(Pod, { metadata, spec: { containers: [{ name: 'c', image: 'example.com/app:1' }] } });
  const [endpoint] = await cluster.eventually('a ready endpoint', addressesOf);
  assert.deepEqual([endpoint?.targetRef?.name, endpoint?.nodeName], ['a', 'node-1']);
  await cluster.eventually('Endpoints', async () => {
    const { subsets } = await client.get(Endpoints, 'web', namespace);
    return subsets?.[0]?.addresses?.length === 1 ? true : undefined;
  });
  await client.delete(Service, { name: 'web', namespace });
  await cluster.eventually('the slice to go with its service', async () => {
    const { items } = await client.list(EndpointSlice, { namespace, labelSelector: 'kubernetes.io/service-name=web' });
    return items.length === 0 ? true : undefined;
  });
});

test('startCluster: a namespace goes with all that is in it', async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  await client.create(Namespace, { metadata: { name: 'shop' } });
  await cluster.eventually('the service account', () =>
    client.get(ServiceAccount, 'default', 'shop').catch(() => undefined),
  );
  await client.create(ConfigMap, { metadata: { name: 'c', namespace: 'shop' } });
  const spec = { containers: [{ name: 'c', image: 'example.com/app:1' }] };
  await client.create(Pod, { metadata: { name: 'p', namespace: 'shop' }, spec });
  await client.delete(Namespace, { name: 'shop' });
  await cluster.eventually('the namespace to go', () => isGone(client.get(Namespace, 'shop')));
});

test('startCluster: dependents go with their last owner, or stay where they are orphaned', async () => {
  await using cluster = await startCluster({ nodes: 0 });
  const { client } = cluster;
  const namespace = 'default';
  const owned = async (name: string) => {
    const owner = await client.create(ConfigMap, { metadata: { name: `${name}-owner`, namespace } });
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner.metadata.name, uid: owner.metadata.uid };
    await client.create(ConfigMap, { metadata: { name, namespace, ownerReferences: [reference] } });
    return { name: owner.metadata.name, namespace };
  };
  const [first, second] = [await owned('goes'), await owned('stays')];
  await client.delete(ConfigMap, first);
  await client.delete(ConfigMap, second, { propagationPolicy: 'Orphan' });
  await cluster.eventually('the dependent to go', () => isGone(client.get(ConfigMap, 'goes', namespace)));
  await cluster.eventually('the owner to go', () => isGone(client.get(ConfigMap, second.name, namespace)));
  const { metadata } = await client.get(ConfigMap, 'stays', namespace);
  assert.deepEqual(metadata.ownerReferences ?? [], []);
});
