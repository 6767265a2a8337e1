import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Lease } from '@kubernode/api/coordination/v1';
import { ConfigMap, Node, Pod } from '@kubernode/api/core/v1';
import { CriError } from '@kubernode/api/cri';
import { createClient } from '@kubernode/client';
import { stateWord } from './testing/objects.ts';
import { testNode, type TestNode } from './testing/cluster.ts';

const phaseIs = (node: TestNode, name: string, phase: string) => async () =>
  (await node.pod(name))?.status.phase === phase;
const mainIs = (node: TestNode, name: string, word: string) => async () => {
  const status = (await node.pod(name))?.status.containerStatuses?.[0];
  return status !== undefined && stateWord(status) === word;
};

test('startKubelet: registers the node and keeps its lease', async (t) => {
  const node = await testNode(t);
  await node.startKubelet({ nodeLabels: { zone: 'a' } });
  const { metadata, status } = await node.client.get(Node, 'node-1');
  assert.equal(metadata.labels?.['kubernetes.io/os'], 'linux');
  assert.equal(metadata.labels?.['zone'], 'a');
  assert.equal(status.conditions?.find(({ type }) => type === 'Ready')?.reason, 'KubeletReady');
  assert.equal(status.nodeInfo.containerRuntimeVersion, 'simulated://1');
  const lease = () => node.client.get(Lease, 'node-1', 'kube-node-lease').catch(() => undefined);
  await node.until('the lease is there', async () => (await lease()) !== undefined);
  const before = (await lease())?.spec.renewTime;
  await node.clock.advance(11_000);
  await node.until('the lease is renewed', async () => (await lease())?.spec.renewTime !== before);
});

test('startKubelet: runs a pod, and tells what it did', async (t) => {
  const node = await testNode(t);
  node.runtime.image('web:1');
  await node.startKubelet();
  await node.createPod('a');
  await node.until('the pod runs', phaseIs(node, 'a', 'Running'));
  const { status } = (await node.pod('a')) as Pod;
  assert.equal(status.podIP, '10.1.0.1');
  assert.equal(status.hostIP, '192.168.0.1');
  assert.equal(status.qosClass, 'BestEffort');
  assert.deepEqual(
    status.conditions?.map(({ type, status: value }) => `${type}=${value}`),
    ['PodReadyToStartContainers=True', 'Initialized=True', 'Ready=True', 'ContainersReady=True', 'PodScheduled=True'],
  );
  assert.match(status.containerStatuses?.[0]?.containerID ?? '', /^simulated:\/\/container-/);
  await node.until('events are written', async () => (await node.events()).length === 3);
  assert.deepEqual(await node.events(), [
    'Pulled: Container image "web:1" already present on machine and can be accessed by the pod',
    'Created: Container created',
    'Started: Container started',
  ]);
});

test('startKubelet: ends a deleted pod gracefully and then removes it from the API', async (t) => {
  const node = await testNode(t);
  node.runtime.image('web:1');
  await node.startKubelet();
  await node.createPod('a', { terminationGracePeriodSeconds: 7 });
  await node.until('the pod runs', phaseIs(node, 'a', 'Running'));
  await node.client.delete(Pod, { name: 'a', namespace: 'default' });
  await node.until('the pod is gone', async () => (await node.pod('a')) === undefined);
  assert.deepEqual(node.runtime.transcript, ['sandbox a#0', 'start main', 'stop main 7', 'stop-sandbox a']);
});

test('startKubelet: a crash loop backs off, 10 s doubling', async (t) => {
  const node = await testNode(t);
  node.runtime.image('web:1', { endsAfterMs: 1_000, exitCode: 3 });
  await node.startKubelet();
  await node.createPod('a');
  const starts = () => node.runtime.transcript.filter((line) => line === 'start main').length;
  await node.until('the first start', () => starts() === 1);
  await node.clock.advance(1_000);
  await node.until('the second start, at once', () => starts() === 2);
  await node.clock.advance(1_000);
  await node.until('the pod waits', mainIs(node, 'a', 'waiting:CrashLoopBackOff'));
  await node.clock.advance(9_000);
  assert.equal(starts(), 2);
  await node.clock.advance(1_500);
  await node.until('the third start', () => starts() === 3);
  const pod = (await node.pod('a')) as Pod;
  assert.equal(pod.status.phase, 'Running');
  await node.until('the restarts are counted', async () => {
    const status = (await node.pod('a'))?.status.containerStatuses?.[0];
    return status?.restartCount === 2 && status.lastState.terminated?.exitCode === 3;
  });
});

test('startKubelet: init containers in order, sidecars end last', async (t) => {
  const node = await testNode(t);
  node.runtime.image('web:1');
  node.runtime.image('once:1', { endsAfterMs: 100 });
  await node.startKubelet();
  await node.createPod('a', {
    initContainers: [
      { name: 'first', image: 'once:1' },
      { name: 'side', image: 'web:1', restartPolicy: 'Always' },
    ],
    terminationGracePeriodSeconds: 5,
  });
  await node.until('the first one', () => node.runtime.transcript.includes('start first'));
  assert.equal((await node.pod('a'))?.status.phase, 'Pending');
  await node.clock.advance(100);
  await node.until('the pod runs', phaseIs(node, 'a', 'Running'));
  await node.client.delete(Pod, { name: 'a', namespace: 'default' });
  await node.until('the pod is gone', async () => (await node.pod('a')) === undefined);
  assert.deepEqual(node.runtime.transcript, [
    'sandbox a#0',
    'start first',
    'start side',
    'start main',
    'stop main 5',
    'stop side 5',
    'stop-sandbox a',
  ]);
});

test('startKubelet: a new kubelet adopts what runs', async (t) => {
  const node = await testNode(t);
  node.runtime.image('web:1');
  const first = await node.startKubelet();
  await node.createPod('a');
  await node.until('the pod runs', phaseIs(node, 'a', 'Running'));
  const before = (await node.pod('a'))?.status.containerStatuses;
  await first.stop();
  await node.startKubelet();
  await node.clock.advance(1_000);
  assert.deepEqual(node.runtime.transcript, ['sandbox a#0', 'start main']);
  assert.deepEqual((await node.pod('a'))?.status.containerStatuses, before);
});

test('startKubelet: orphans of a kubelet that was killed are removed', async (t) => {
  const node = await testNode(t);
  node.runtime.image('web:1');
  const first = await node.startKubelet();
  await node.createPod('a');
  await node.until('the pod runs', phaseIs(node, 'a', 'Running'));
  await first.stop();
  await node.client.delete(Pod, { name: 'a', namespace: 'default' }, { gracePeriodSeconds: 0 });
  await node.startKubelet();
  await node.until('nothing runs', async () => (await node.runtime.cri.listPodSandbox({})).items.length === 0);
  assert.deepEqual(node.runtime.runningNames, []);
});

test('startKubelet: a broken sandbox is made anew', async (t) => {
  const node = await testNode(t);
  node.runtime.image('web:1');
  await node.startKubelet();
  await node.createPod('a');
  await node.until('the pod runs', phaseIs(node, 'a', 'Running'));
  node.runtime.breakSandboxes();
  await node.until('a second sandbox', () => node.runtime.transcript.filter((l) => l === 'start main').length === 2);
  assert.ok(node.runtime.transcript.includes('sandbox a#1'));
});

test('startKubelet: says why an image is not there, and tries again', async (t) => {
  const node = await testNode(t);
  await node.startKubelet();
  await node.createPod('a');
  await node.until('the pull fails', mainIs(node, 'a', 'waiting:ImagePullBackOff'));
  await node.clock.advance(5_000);
  node.runtime.image('web:1');
  await node.clock.advance(6_000);
  await node.until('the pod runs', phaseIs(node, 'a', 'Running'));
});

test('startKubelet: a failing sandbox is told and tried again', async (t) => {
  const node = await testNode(t);
  node.runtime.image('web:1');
  node.runtime.fail('runPodSandbox', new CriError('Unknown', 'no network'));
  await node.startKubelet();
  await node.createPod('a');
  await node.until('the event', async () =>
    (await node.events()).includes(
      'FailedCreatePodSandBox: Failed to create pod sandbox: rpc error: code = Unknown desc = no network',
    ),
  );
  node.runtime.fail('runPodSandbox', undefined);
  await node.clock.advance(11_000);
  await node.until('the pod runs', phaseIs(node, 'a', 'Running'));
});

test('startKubelet: ConfigMap volumes wait for their object, and follow it', async (t) => {
  const node = await testNode(t);
  node.runtime.image('web:1');
  await node.startKubelet();
  const pod = await node.createPod('a', {
    containers: [{ name: 'main', image: 'web:1', volumeMounts: [{ name: 'config', mountPath: '/etc/config' }] }],
    volumes: [{ name: 'config', configMap: { name: 'settings' } }],
  });
  const message = 'MountVolume.SetUp failed for volume "config" : configmap "settings" not found';
  await node.until('the event', async () => (await node.events()).includes(`FailedMount: ${message}`));
  await node.client.create(ConfigMap, { metadata: { name: 'settings', namespace: 'default' }, data: { key: 'one' } });
  await node.until('the pod runs', phaseIs(node, 'a', 'Running'));
  const volume = join(node.rootDir, 'pods', pod.metadata.uid, 'volumes/kubernetes.io~configmap/config');
  assert.equal(await readFile(join(volume, 'key'), 'utf8'), 'one');
  const mount = node.runtime.configOf('main')?.mounts?.find(({ containerPath }) => containerPath === '/etc/config');
  assert.deepEqual([mount?.hostPath, mount?.readonly], [volume, true]);
  const body = { data: { key: 'two' } };
  await node.client.patch(ConfigMap, { name: 'settings', namespace: 'default' }, { type: 'merge', body });
  await node.until('the file follows', async () => (await readFile(join(volume, 'key'), 'utf8')) === 'two');
  await node.client.delete(Pod, { name: 'a', namespace: 'default' }, { gracePeriodSeconds: 1 });
  await node.until('the volume is gone', () => !existsSync(volume));
});

test('startKubelet: refuses what does not fit and what is not supported', async (t) => {
  const node = await testNode(t);
  node.runtime.image('web:1');
  await node.startKubelet();
  await node.createPod('big', {
    containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '1000' } } }],
  });
  await node.until('it is refused', phaseIs(node, 'big', 'Failed'));
  const { status } = (await node.pod('big')) as Pod;
  assert.equal(status.reason, 'OutOfcpu');
  assert.match(status.message ?? '', /^Pod was rejected: Node didn't have enough resource: cpu, requested: 1000000/);
  await node.createPod('userns', { hostUsers: false });
  await node.until('it is refused', phaseIs(node, 'userns', 'Failed'));
  assert.match((await node.pod('userns'))?.status.message ?? '', /hostUsers: false .* is not supported by this node/);
});

test('startKubelet: a job that is done is Succeeded, one that is late is Failed', async (t) => {
  const node = await testNode(t);
  node.runtime.image('web:1');
  node.runtime.image('once:1', { endsAfterMs: 100 });
  await node.startKubelet();
  await node.createPod('done', { restartPolicy: 'Never', containers: [{ name: 'main', image: 'once:1' }] });
  await node.createPod('late', { restartPolicy: 'Never', activeDeadlineSeconds: 5 });
  await node.until(
    'both run',
    async () => node.runtime.transcript.filter((line) => line === 'start main').length === 2,
  );
  await node.clock.advance(200);
  await node.until('one is done', phaseIs(node, 'done', 'Succeeded'));
  await node.clock.advance(5_000);
  await node.until('one is late', phaseIs(node, 'late', 'Failed'));
  assert.equal((await node.pod('late'))?.status.reason, 'DeadlineExceeded');
});

test('startKubelet: stops while a pod waits for an API that does not answer', async (t) => {
  const node = await testNode(t);
  node.runtime.image('web:1');
  const { transport } = node.client;
  let watches = 0;
  const silent = {
    ...transport,
    request: <T>(request: Parameters<typeof transport.request>[0]) => {
      if (!request.path.includes('/configmaps')) return transport.request<T>(request);
      watches++;
      return new Promise<T>((_, reject) => request.signal?.addEventListener('abort', () => reject(new Error('gone'))));
    },
  };
  const kubelet = await node.startKubelet({ client: createClient(silent) });
  await node.createPod('a', {
    containers: [{ name: 'main', image: 'web:1', volumeMounts: [{ name: 'config', mountPath: '/config' }] }],
    volumes: [{ name: 'config', configMap: { name: 'settings' } }],
  });
  await node.until('it waits', () => watches > 0);
  await node.client.delete(Pod, { name: 'a', namespace: 'default' });
  await node.until('the pod is gone all the same', async () => (await node.pod('a')) === undefined);
  await kubelet.stop();
});

test('startKubelet: hooks run after the start and before the end; one that fails restarts its container', async (t) => {
  const node = await testNode(t);
  node.runtime.image('web:1');
  await node.startKubelet();
  await node.createPod('a', {
    terminationGracePeriodSeconds: 9,
    containers: [
      {
        name: 'main',
        image: 'web:1',
        lifecycle: { postStart: { exec: { command: ['warm', 'up'] } }, preStop: { sleep: { seconds: 3 } } },
      },
    ],
  });
  await node.until('the pod runs', phaseIs(node, 'a', 'Running'));
  await node.client.delete(Pod, { name: 'a', namespace: 'default' });
  await node.until('it is told to end', async () => (await node.events()).includes('Killing: Stopping container main'));
  await node.clock.advance(3_000);
  await node.until('the pod is gone', async () => (await node.pod('a')) === undefined);
  const expected = ['sandbox a#0', 'start main', 'exec main warm up', 'stop main 6', 'stop-sandbox a'];
  assert.deepEqual(node.runtime.transcript, expected);
  await node.createPod('b', {
    containers: [{ name: 'main', image: 'web:1', lifecycle: { postStart: { exec: { command: ['false'] } } } }],
  });
  await node.until('the event', async () =>
    (await node.events()).includes('FailedPostStartHook: PostStartHook failed'),
  );
  await node.until('it waits', mainIs(node, 'b', 'waiting:CrashLoopBackOff'));
});

test('startKubelet: ephemeral containers join a running pod', async (t) => {
  const node = await testNode(t);
  node.runtime.image('web:1');
  await node.startKubelet();
  await node.createPod('a');
  await node.until('the pod runs', phaseIs(node, 'a', 'Running'));
  const ephemeralContainers = [{ name: 'debug', image: 'web:1', targetContainerName: 'main' }];
  const target = { name: 'a', namespace: 'default', subresource: 'ephemeralcontainers' };
  await node.client.patch(Pod, target, { type: 'strategic', body: { spec: { ephemeralContainers } } });
  await node.until('it runs', async () => {
    const status = (await node.pod('a'))?.status.ephemeralContainerStatuses?.[0];
    return status?.state.running !== undefined;
  });
  const { namespaceOptions } = node.runtime.configOf('debug')?.linux?.securityContext ?? {};
  assert.equal(namespaceOptions?.pid, 'TARGET');
  assert.match(namespaceOptions?.targetId ?? '', /^container-/);
});
