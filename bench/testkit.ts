/** How long a test waits for its cluster, and for a Deployment in it. */
import { Deployment } from '@kubernode/api/apps/v1';
import { startCluster } from '@kubernode/testkit';

const rounds = 5;
const rows = [];
for (let round = 1; round <= rounds; round++) {
  const beganMs = performance.now();
  const cluster = await startCluster();
  const startedMs = performance.now();
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
  const metadata = { name: 'web', namespace: 'default' };
  await cluster.client.create(Deployment, {
    metadata,
    spec: { replicas: 10, selector: { matchLabels: labels }, template },
  });
  await cluster.eventually('10 available replicas', async (client) => {
    const { status } = await client.get(Deployment, 'web', 'default');
    return status.availableReplicas === 10 ? status : undefined;
  });
  const availableMs = performance.now();
  await cluster.stop();
  rows.push({
    round,
    'startCluster() ms': Math.round(startedMs - beganMs),
    'Deployment of 10 available ms': Math.round(availableMs - startedMs),
    'stop ms': Math.round(performance.now() - availableMs),
  });
}
console.table(rows);
