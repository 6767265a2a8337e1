/** A test with a whole cluster in its process: the real API server, controllers and scheduler; simulated nodes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deployment } from '@kubernode/api/apps/v1';
import { Pod } from '@kubernode/api/core/v1';
import { startCluster } from '@kubernode/testkit';

test('a Deployment becomes available, spread over two nodes', async () => {
  await using cluster = await startCluster({ nodes: 2 });
  const labels = { app: 'web' };
  await cluster.client.create(Deployment, {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: 4,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    },
  });

  await cluster.eventually('4 available replicas', async (client) => {
    const { status } = await client.get(Deployment, 'web', 'default');
    return status.availableReplicas === 4 ? status : undefined;
  });

  const { items } = await cluster.client.list(Pod, { namespace: 'default', labelSelector: 'app=web' });
  assert.deepEqual(new Set(items.map(({ spec }) => spec.nodeName)), new Set(['node-1', 'node-2']));
});
