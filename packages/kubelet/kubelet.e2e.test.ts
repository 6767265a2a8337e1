import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Draft } from '@kubernode/api';
import { ConfigMap, Event, Namespace, Pod, Secret, type PodSpec } from '@kubernode/api/core/v1';
import { startApiServer, type ApiServer } from '@kubernode/apiserver';
import { createClient, type Client } from '@kubernode/client';
import { silentLogger, sleep, systemClock, type Component } from '@kubernode/machinery';
import { openRuntime, writeBusyboxImage, type Runtime } from '@kubernode/runtime';
import { memoryStore } from '@kubernode/store';
import { removePodCgroups } from './containers/cgroups.ts';
import { startKubelet } from './kubelet.ts';
import { removePodMounts } from './volumes/remove-mounts.ts';

const image = 'kubernode.local/test:1';
const cgroupRoot = `/kubernode-kubelet-test-${process.pid}`;
const common = { clock: systemClock, random: Math.random, log: silentLogger };

let folder: string;
let runtime: Runtime;
let server: ApiServer;
let client: Client;
let kubelet: Component;

const begin = () =>
  startKubelet({
    ...common,
    client,
    cri: runtime,
    nodeName: 'node-1',
    rootDir: join(folder, 'kubelet'),
    nodeAddresses: ['127.0.0.1'],
    cgroupRoot,
  });

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kn-kubelet-'));
  runtime = await openRuntime({
    ...common,
    root: join(folder, 'runtime'),
    podNetwork: { attach: async () => ({ ips: ['127.0.0.1'] }), detach: async () => {} },
    cgroupRoot,
  });
  await writeBusyboxImage(join(folder, 'layout'), { name: image });
  await runtime.images.load(join(folder, 'layout'));
  server = await startApiServer({ ...common, store: memoryStore() });
  client = createClient(server.transport('system:admin'));
  await client.create(Namespace, { metadata: { name: 'default' } }).catch(() => {});
  kubelet = await begin();
});

after(async () => {
  await kubelet.stop();
  await server.stop();
  await runtime.reset();
  await removePodMounts(join(folder, 'kubelet'));
  await removePodCgroups(cgroupRoot);
  await rm(folder, { recursive: true, force: true });
});

const createPod = (name: string, spec: Draft<PodSpec>) =>
  client.create(Pod, {
    metadata: { name, namespace: 'default', labels: { app: name } },
    spec: { nodeName: 'node-1', terminationGracePeriodSeconds: 1, ...spec },
  });

/** Watches the pod until it is as wanted. */
async function until(name: string, wanted: (pod: Pod) => boolean): Promise<Pod> {
  const stop = new AbortController();
  const fieldSelector = `metadata.name=${name}`;
  const { items, metadata } = await client.list(Pod, { namespace: 'default', fieldSelector });
  if (items[0] && wanted(items[0])) return items[0];
  const { resourceVersion } = metadata;
  const { signal } = stop;
  const overdue = systemClock.after(30_000, () => stop.abort());
  try {
    for await (const batch of client.watch(Pod, { namespace: 'default', fieldSelector, resourceVersion, signal })) {
      const found = batch.find(({ type, object }) => type !== 'DELETED' && wanted(object));
      if (found) return found.object;
    }
  } finally {
    overdue();
    stop.abort();
  }
  const events = await client.list(Event, { namespace: 'default' });
  const pod = await client.get(Pod, name, 'default');
  throw new Error(`${name}: ${JSON.stringify(pod.status)} ${events.items.map((event) => event.message).join('\n')}`);
}

const ended = (pod: Pod) => pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed';
const ready = (pod: Pod) =>
  pod.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

async function gone(pod: Pod): Promise<void> {
  const { name } = pod.metadata;
  await client.delete(Pod, { name, namespace: 'default' }).catch(() => {});
  const stop = new AbortController();
  const fieldSelector = `metadata.name=${name}`;
  const { items, metadata } = await client.list(Pod, { namespace: 'default', fieldSelector });
  if (items.length === 0) return;
  const options = {
    namespace: 'default',
    fieldSelector,
    resourceVersion: metadata.resourceVersion,
    signal: stop.signal,
  };
  for await (const batch of client.watch(Pod, options)) if (batch.some(({ type }) => type === 'DELETED')) break;
  stop.abort();
}

test('kubelet: volumes, environment, users and last words reach a real container', async () => {
  await client.create(ConfigMap, {
    metadata: { name: 'settings', namespace: 'default' },
    data: { key: 'from-config' },
  });
  await client.create(Secret, { metadata: { name: 'keys', namespace: 'default' }, data: { key: 'c2VjcmV0' } });
  const script = [
    'test "$(cat /config/key)" = from-config',
    'test "$(cat /secret/key)" = secret',
    'test "$(cat /sub)" = from-config',
    'grep -q app=.all. /info/labels',
    'test "$MIX" = from-config-all',
    'touch /memory/x && df /memory | grep -q tmpfs',
    'test "$(id -u)" = 1000 && test "$(stat -c %g /memory)" = 2000',
    '! touch /config/x 2>/dev/null',
    'grep -q all /etc/hosts && test "$(hostname)" = all',
    'echo fine > /dev/termination-log',
  ].map((line) => `{ ${line}; } || { echo "failed: ${line.replaceAll('"', "'")}" > /dev/termination-log; exit 1; }`);
  const pod = await createPod('all', {
    restartPolicy: 'Never',
    securityContext: { runAsUser: 1000, fsGroup: 2000 },
    initContainers: [{ name: 'init', image, command: ['true'] }],
    containers: [
      {
        name: 'main',
        image,
        command: ['sh', '-c', script.join('\n')],
        env: [
          { name: 'KEY', valueFrom: { configMapKeyRef: { name: 'settings', key: 'key' } } },
          { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'MIX', value: '$(KEY)-$(NAME)' },
        ],
        volumeMounts: [
          { name: 'config', mountPath: '/config' },
          { name: 'config', mountPath: '/sub', subPath: 'key' },
          { name: 'secret', mountPath: '/secret' },
          { name: 'info', mountPath: '/info' },
          { name: 'memory', mountPath: '/memory' },
        ],
        resources: { limits: { memory: '64Mi', cpu: '500m' } },
      },
    ],
    volumes: [
      { name: 'config', configMap: { name: 'settings' } },
      { name: 'secret', secret: { secretName: 'keys' } },
      { name: 'info', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
      { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
    ],
  });
  const { status } = await until('all', ended);
  const terminated = status.containerStatuses?.[0]?.state.terminated;
  assert.equal(terminated?.message?.trim(), 'fine');
  assert.equal(status.phase, 'Succeeded');
  await gone(pod);
  // A pod that has ended is gone from the API at once, and a moment later from the node.
  const dir = join(folder, 'kubelet/pods', pod.metadata.uid);
  for (let tries = 0; existsSync(dir) && tries < 100; tries++) await sleep(systemClock, 20);
  assert.equal(existsSync(dir), false);
});

test('kubelet: probes, restarts and logs of a real container; a new kubelet adopts it', async () => {
  const pod = await createPod('loop', {
    containers: [
      {
        name: 'main',
        image,
        command: ['sh', '-c', 'echo begun; trap "exit 0" TERM; touch /ok; while :; do sleep 0.1; done'],
        readinessProbe: { exec: { command: ['test', '-e', '/ok'] }, periodSeconds: 1 },
        livenessProbe: { exec: { command: ['test', '-e', '/ok'] }, periodSeconds: 1, failureThreshold: 1 },
      },
    ],
  });
  const running = await until('loop', ready);
  const { containerID = '' } = running.status.containerStatuses?.[0] ?? {};
  await kubelet.stop();
  kubelet = await begin();
  const adopted = await until('loop', ready);
  assert.equal(adopted.status.containerStatuses?.[0]?.containerID, containerID);
  const containerId = containerID.slice(containerID.indexOf('://') + 3);
  await runtime.execSync({ containerId, cmd: ['rm', '/ok'], timeout: 5 });
  const restarted = await until('loop', (now) => now.status.containerStatuses?.[0]?.restartCount === 1 && ready(now));
  assert.equal(restarted.status.containerStatuses?.[0]?.lastState.terminated?.exitCode, 0);
  const log = join(folder, 'kubelet/logs', `default_loop_${pod.metadata.uid}`, 'main/1.log');
  assert.match(await readFile(log, 'utf8'), /stdout F begun/);
  await gone(pod);
});

test('kubelet: a command that is not there, and a container without memory', async () => {
  const absent = await createPod('absent', { containers: [{ name: 'main', image, command: ['no-such-command'] }] });
  const { status } = await until(
    'absent',
    (pod) => pod.status.containerStatuses?.[0]?.state.waiting?.message !== undefined,
  );
  assert.match(status.containerStatuses?.[0]?.state.waiting?.message ?? '', /no-such-command/);
  await gone(absent);
  const greedy = await createPod('greedy', {
    restartPolicy: 'Never',
    containers: [
      {
        name: 'main',
        image,
        command: ['sh', '-c', 'x=a; while :; do x=$x$x; done'],
        resources: { limits: { memory: '16Mi' } },
      },
    ],
  });
  const killed = await until('greedy', ended);
  assert.equal(killed.status.containerStatuses?.[0]?.state.terminated?.reason, 'OOMKilled');
  await gone(greedy);
});

test('kubelet: a second deletion with less grace hurries the first', { timeout: 20_000 }, async () => {
  const stubborn = await createPod('stubborn', {
    terminationGracePeriodSeconds: 600,
    containers: [{ name: 'main', image, command: ['sh', '-c', 'trap "" TERM; while :; do sleep 0.1; done'] }],
  });
  await until('stubborn', ready);
  const target = { name: 'stubborn', namespace: 'default' };
  await client.delete(Pod, target);
  await until('stubborn', ({ metadata }) => metadata.deletionGracePeriodSeconds === 600);
  await client.delete(Pod, target, { gracePeriodSeconds: 1 });
  await gone(stubborn);
});
