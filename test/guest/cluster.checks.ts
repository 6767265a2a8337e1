/** A whole cluster on cgroup v2: the demo, limits of pods, ends for want of memory, a killed server, and a clean reset. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { load } from 'js-yaml';
import type { Draft } from '@kubernode/api';
import { Node, Pod, type PodSpec } from '@kubernode/api/core/v1';
import { createClient, kubeconfigTransport, type Client } from '@kubernode/client';
import { leftovers } from '../e2e/leftovers.ts';
import { runProcess, until } from '../e2e/process.ts';

const root = join(import.meta.dirname, '../..');
const dataDir = '/var/lib/kubernode';
const namespace = 'default';
const image = 'kubernode.local/demo:1';
/** Without KVM everything is some ten times slower. */
const timeoutMs = 180_000;
// Node's test runner hands its own reporter down to Node processes that inherit this.
const env = { ...process.env, NODE_TEST_CONTEXT: undefined };

let client: Client;
let close = async () => {};

async function kubernode(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProcess(join(root, 'kubernode'), args, { env, timeoutMs });
  const log = join(dataDir, 'log/kubernode.log');
  const tail = code === 0 || !existsSync(log) ? '' : readFileSync(log, 'utf8').split('\n').slice(-40).join('\n');
  assert.equal(code, 0, `kubernode ${args.join(' ')}: ${stderr}${tail}`);
  return stdout + stderr;
}

async function connect(): Promise<void> {
  await close();
  const transport = kubeconfigTransport(load(readFileSync(join(dataDir, 'kubeconfig'), 'utf8')) as never);
  client = createClient(transport);
  close = () => transport.close();
}

async function createPod(name: string, spec: Draft<PodSpec>): Promise<Pod> {
  const object = { metadata: { name, namespace }, spec: { terminationGracePeriodSeconds: 1, ...spec } };
  return client.create(Pod, object as Draft<Pod>);
}

/** The pod as soon as it is as wanted. */
async function podWhen(name: string, wanted: (pod: Pod) => boolean): Promise<Pod> {
  let pod: Pod | undefined;
  const isWanted = async () => {
    pod = await client.get(Pod, name, namespace);
    return wanted(pod);
  };
  await until(`state of pod ${name}`, isWanted, timeoutMs, () => JSON.stringify(pod?.status));
  assert.ok(pod);
  return pod;
}

const isRunning = (pod: Pod) => pod.status.phase === 'Running';
const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8').trim();
const containerIdOf = (pod: Pod) => pod.status.containerStatuses?.[0]?.containerID?.replace(/^\w+:\/\//, '') ?? '';

function podCgroup(pod: Pod): string {
  const path = execFileSync('find', ['/sys/fs/cgroup', '-type', 'd', '-name', `pod${pod.metadata.uid}`]);
  return path.toString().trim();
}

before(async () => {
  execFileSync('ip', ['netns', 'attach', 'guest', '1']);
});
after(async () => {
  await close();
  execFileSync('ip', ['netns', 'del', 'guest']);
});

test('kubernode up --demo: pods behind a Service answer', { timeout: 2 * timeoutMs }, async () => {
  const said = await kubernode('up', '--demo');
  assert.equal(said.match(/Hello from Kubernode!/g)?.length, 2, said);
  await connect();
});

test('kubernode doctor: nothing is amiss', async () => {
  assert.match(await kubernode('doctor'), /version 2/);
});

test('kubelet: limits of a pod reach its cgroup and those of its containers', async () => {
  const resources = { requests: { cpu: '100m', memory: '32Mi' }, limits: { cpu: '500m', memory: '64Mi' } };
  await createPod('limited', { containers: [{ name: 'main', image, command: ['sleep', '1000'], resources }] });
  const pod = await podWhen('limited', isRunning);
  const cgroup = podCgroup(pod);
  assert.match(cgroup, /\/kubepods\/burstable\/pod/);
  const own = join(cgroup, containerIdOf(pod));
  for (const folder of [cgroup, own]) {
    assert.equal(read(folder, 'memory.max'), String(64 * 1024 * 1024));
    assert.equal(read(folder, 'cpu.max'), '50000 100000');
    assert.equal(read(folder, 'cpu.weight'), '4');
  }
  assert.equal(read(own, 'memory.oom.group'), '1');
  assert.equal(read(own, 'cgroup.procs').split('\n').length, 1);
  assert.match(read(cgroup, 'cgroup.subtree_control'), /cpu.*memory.*pids/);
});

test('kubelet: a container that runs out of memory is told as OOMKilled', async () => {
  const command = ['sh', '-c', 'x=a; while :; do x=$x$x; done'];
  const resources = { limits: { memory: '24Mi' } };
  await createPod('greedy', { restartPolicy: 'Never', containers: [{ name: 'main', image, command, resources }] });
  const pod = await podWhen('greedy', ({ status }) => status.phase === 'Failed');
  const terminated = pod.status.containerStatuses?.[0]?.state.terminated;
  assert.deepEqual([terminated?.reason, terminated?.exitCode], ['OOMKilled', 137]);
  const cgroup = podCgroup(pod);
  assert.ok(cgroup === '' || !existsSync(join(cgroup, containerIdOf(pod))), `${cgroup} still has the container's`);
});

test('kubelet: stats of node, pods and containers', async () => {
  const node = (await client.list(Node)).items[0]?.metadata.name ?? '';
  const path = `/api/v1/nodes/${node}/proxy/stats/summary`;
  const summary = await client.request<Summary>({ method: 'GET', path });
  const pod = summary.pods.find(({ podRef }) => podRef.name === 'limited');
  assert.ok((pod?.memory?.workingSetBytes ?? 0) > 0, JSON.stringify(pod));
  assert.ok((pod?.containers?.[0]?.memory?.usageBytes ?? 0) > 0, JSON.stringify(pod));
  assert.ok((summary.node.cpu?.usageCoreNanoSeconds ?? 0) > 0, JSON.stringify(summary.node));
  assert.ok((summary.node.memory?.workingSetBytes ?? 0) > 0, JSON.stringify(summary.node));
});

interface Summary {
  readonly node: Usage;
  readonly pods: readonly (Usage & { readonly podRef: { readonly name: string }; readonly containers?: Usage[] })[];
}

interface Usage {
  readonly cpu?: { readonly usageCoreNanoSeconds?: number };
  readonly memory?: { readonly usageBytes?: number; readonly workingSetBytes?: number };
}

test('kubernode: a killed server leaves its containers running, and the next one adopts them', async () => {
  const first = containerIdOf(await client.get(Pod, 'limited', namespace));
  const [pid = ''] = readFileSync(join(dataDir, 'run/server.pid'), 'utf8').split(' ');
  process.kill(Number(pid), 'SIGKILL');
  await until('end of the server', () => !existsSync(`/proc/${pid}`));
  await kubernode('up');
  await connect();
  const pod = await podWhen('limited', isRunning);
  assert.equal(containerIdOf(pod), first);
  assert.equal(pod.status.containerStatuses?.[0]?.restartCount, 0);
  assert.equal(read(join(podCgroup(pod), first), 'cgroup.procs').split('\n').length, 1);
});

test('kubelet: a pod that is deleted takes its cgroup along', async () => {
  const pod = await client.get(Pod, 'limited', namespace);
  const cgroup = podCgroup(pod);
  assert.notEqual(cgroup, '');
  await client.delete(Pod, { name: 'limited', namespace });
  await until('removal of the cgroup', () => !existsSync(cgroup), timeoutMs);
});

test('kubernode reset: no process, mount, network or cgroup is left', { timeout: timeoutMs }, async () => {
  await kubernode('reset');
  assert.deepEqual(leftovers(dataDir, 'guest'), []);
});
