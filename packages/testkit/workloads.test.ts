import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@kubernode/api/apps/v1';
import { Job } from '@kubernode/api/batch/v1';
import { PersistentVolumeClaim, Pod } from '@kubernode/api/core/v1';
import { startCluster, type TestCluster } from './cluster.ts';

let cluster: TestCluster;
before(async () => {
  cluster = await startCluster({ nodes: 3 });
});
after(() => cluster.stop());

const namespace = 'default';
const podTemplate = (app: string, image = 'example.com/app:1', annotations: Record<string, string> = {}) => ({
  metadata: { labels: { app }, annotations },
  spec: { containers: [{ name: 'c', image }], terminationGracePeriodSeconds: 0 },
});
const workTemplate = (result: string) => ({
  metadata: { annotations: { 'sim.example.com/result': result } },
  spec: { containers: [{ name: 'c', image: 'example.com/work:1' }], restartPolicy: 'Never' as const },
});
const podsOf = async (app: string) =>
  (await cluster.client.list(Pod, { namespace, labelSelector: `app=${app}` })).items;

test('startCluster rolls a Deployment from one image to the next', async () => {
  const { client } = cluster;
  const app = 'rolling';
  const spec = { replicas: 3, selector: { matchLabels: { app } }, template: podTemplate(app) };
  await client.create(Deployment, { metadata: { name: app, namespace }, spec });
  const isDone = async (generation: number) => {
    const { status } = await client.get(Deployment, app, namespace);
    return status.observedGeneration === generation && status.updatedReplicas === 3 && status.availableReplicas === 3
      ? status
      : undefined;
  };
  await cluster.eventually('the first rollout', () => isDone(1));
  const body = { spec: { template: podTemplate(app, 'example.com/app:2') } };
  await client.patch(Deployment, { name: app, namespace }, { type: 'strategic', body });
  await cluster.eventually('the second rollout', async () => ((await isDone(2))?.replicas === 3 ? true : undefined));
  const sets = (await client.list(ReplicaSet, { namespace, labelSelector: `app=${app}` })).items;
  const sizes = sets.map(({ spec: { replicas = 0 } }) => replicas);
  assert.deepEqual(
    sizes.toSorted((a, b) => a - b),
    [0, 3],
  );
});

test('startCluster gives the pods of a StatefulSet names, volumes and an order', async () => {
  const { client } = cluster;
  const app = 'stateful';
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } },
  };
  const metadata = { name: app, namespace };
  await client.create(StatefulSet, {
    metadata,
    spec: { replicas: 2, serviceName: app, selector: { matchLabels: { app } }, template: podTemplate(app) },
  });
  await cluster.eventually('both pods', async () => {
    const { status } = await client.get(StatefulSet, app, namespace);
    return status.readyReplicas === 2 ? status : undefined;
  });
  const pods = await podsOf(app);
  assert.deepEqual(pods.map((pod) => pod.metadata.name).toSorted(), ['stateful-0', 'stateful-1']);
  await client.create(StatefulSet, {
    metadata: { name: 'volumes', namespace },
    spec: {
      replicas: 1,
      serviceName: app,
      selector: { matchLabels: { app: 'volumes' } },
      template: podTemplate('volumes'),
      volumeClaimTemplates: [claim],
    },
  });
  await cluster.eventually('its claim', () =>
    client.get(PersistentVolumeClaim, 'data-volumes-0', namespace).catch(() => undefined),
  );
});

test('startCluster runs a DaemonSet on every node', async () => {
  const { client } = cluster;
  const app = 'daemon';
  const spec = { selector: { matchLabels: { app } }, template: podTemplate(app) };
  await client.create(DaemonSet, { metadata: { name: app, namespace }, spec });
  await cluster.eventually('all its pods', async () => {
    const { status } = await client.get(DaemonSet, app, namespace);
    return status.numberAvailable === 3 ? status : undefined;
  });
  const nodes = (await podsOf(app)).map(({ spec: { nodeName } }) => nodeName ?? '');
  assert.deepEqual(nodes.toSorted(), ['node-1', 'node-2', 'node-3']);
});

test('startCluster completes a Job, and counts each pod once', async () => {
  const { client } = cluster;
  const spec = { completions: 5, parallelism: 2, template: workTemplate('succeeded') };
  await client.create(Job, { metadata: { name: 'work', namespace }, spec });
  const { status } = await cluster.eventually('its end', async () => {
    const job = await client.get(Job, 'work', namespace);
    return job.status.completionTime ? job : undefined;
  });
  assert.equal(status.succeeded, 5);
  assert.deepEqual(
    status.conditions?.map(({ type, reason }) => [type, reason]),
    [
      ['SuccessCriteriaMet', 'CompletionsReached'],
      ['Complete', 'CompletionsReached'],
    ],
  );
  const pods = (await client.list(Pod, { namespace, labelSelector: 'job-name=work' })).items;
  assert.deepEqual(
    pods.flatMap(({ metadata }) => metadata.finalizers ?? []),
    [],
  );
});
