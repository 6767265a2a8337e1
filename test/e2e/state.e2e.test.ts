/** What a cluster keeps: over stops and starts, killed processes, a machine that restarts; and what two of them share. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startTestCluster, testImage, type TestMachine } from './harness.ts';
import { until } from './process.ts';

const stopMsMax = 3_000;
let cluster: TestMachine;

before(async () => {
  cluster = await startTestCluster();
  await cluster.apply([deployment('web', 3), missingSecret('waits-for-secret'), unreachableImage('waits-for-image')]);
  await cluster.kubectlOutput('rollout status deployment/web --timeout=60s');
});
after(() => cluster?.stop());

function deployment(name: string, replicas: number): object {
  const labels = { app: name };
  const command = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.2; done'];
  const spec = { containers: [{ name: 'main', image: testImage, command }] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

function missingSecret(name: string): object {
  const containers = [{ name: 'main', image: testImage, volumeMounts: [{ name: 'v', mountPath: '/v' }] }];
  const volumes = [{ name: 'v', secret: { secretName: 'never-made' } }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers, volumes } };
}

/** A port of loopback at which nobody answers. */
function unreachableImage(name: string): object {
  const containers = [{ name: 'main', image: '127.0.0.1:9/none/such:1' }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers } };
}

/** Name, address, container and restarts of each pod of the Deployment. */
const podsOfWeb = () =>
  cluster.kubectlOutput([
    'get',
    'pods',
    '-l',
    'app=web',
    '-o',
    'jsonpath={range .items[*]}{.metadata.name} {.status.podIP} {.status.containerStatuses[0].containerID} {.status.containerStatuses[0].restartCount}{"\\n"}{end}',
  ]);

const serverPid = () => Number(readFileSync(join(cluster.dataDir, 'run', 'server.pid'), 'utf8').split(' ')[0]);

async function bringUp(): Promise<void> {
  const { code, stderr } = await cluster.kubernode('up');
  assert.equal(code, 0, stderr);
}

async function nodeIsReady(): Promise<void> {
  await cluster.kubectlOutput('wait --for=condition=Ready nodes --all --timeout=20s');
}

/** The server, conmon, and all that runs in containers. */
function processesOfCluster(): number[] {
  const id = createHash('sha256').update(cluster.dataDir).digest('hex').slice(0, 6);
  const conmons = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isConmon(pid));
  const contained = globSync(`/sys/fs/cgroup/**/kubernode-${id}/**/cgroup.procs`).flatMap((file) =>
    readFileSync(file, 'utf8').split('\n').filter(Boolean),
  );
  return [...new Set([serverPid(), ...[...conmons, ...contained].map(Number)])];
}

function isConmon(pid: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return command.split('\0')[0]?.endsWith('conmon') === true && command.includes(cluster.dataDir);
  } catch {
    return false;
  }
}

const restarts = () =>
  cluster.kubectlOutput([
    'get',
    'pods',
    '-l',
    'app=web',
    '-o',
    'jsonpath={.items[*].status.containerStatuses[0].restartCount}',
  ]);

/** New containers run in all three pods, and the Deployment has seen it. */
async function isBack(before: string): Promise<void> {
  const idsBefore = new Set(before.match(/kubernode:\S+/g));
  const isNew = async () => {
    const ids = (await podsOfWeb()).match(/kubernode:\S+/g) ?? [];
    return ids.length === 3 && ids.every((id) => !idsBefore.has(id));
  };
  await until('three new containers', isNew, 60_000, podsOfWeb);
  await cluster.kubectlOutput('rollout status deployment/web --timeout=60s');
  await cluster.kubectlOutput('wait --for=condition=Ready pods -l app=web --timeout=60s');
}

test('down stops within 3 s, also while pods wait for a secret and an image; up adopts all containers', async () => {
  const pods = await podsOfWeb();
  const startedMs = performance.now();
  const down = await cluster.kubernode('down');
  assert.equal(down.code, 0, down.stderr);
  assert.ok(performance.now() - startedMs < stopMsMax, `down took ${performance.now() - startedMs} ms`);
  const status = await cluster.kubernode('status');
  assert.equal(status.code, 1);
  assert.match(status.stdout, /is stopped/);
  await bringUp();
  await nodeIsReady();
  assert.equal(await podsOfWeb(), pods);
});

test('kill -9 of the server loses nothing that was acknowledged, and its containers are adopted', async () => {
  const pods = await podsOfWeb();
  await cluster.kubectlOutput('create configmap kept --from-literal=key=value');
  process.kill(serverPid(), 'SIGKILL');
  await bringUp();
  await nodeIsReady();
  assert.equal(await cluster.kubectlOutput('get configmap kept -o jsonpath={.data.key}'), 'value');
  assert.equal(await podsOfWeb(), pods);
});

test('kill -9 while it writes: each acknowledged object is there, ten times', { timeout: 120_000 }, async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    const writer = (async () => {
      for (let i = 0; ; i += 1) {
        const name = `round-${round}-${i}`;
        const { code } = await cluster.kubectl(`create configmap ${name} --request-timeout=3s`);
        if (code !== 0) return;
        acknowledged.push(name);
      }
    })();
    await until('a write', () => acknowledged.some((name) => name.startsWith(`round-${round}-`)));
    process.kill(serverPid(), 'SIGKILL');
    await writer;
    await bringUp();
  }
  const present = new Set((await cluster.kubectlOutput('get configmaps -o name')).trim().split('\n'));
  assert.deepEqual(
    acknowledged.filter((name) => !present.has(`configmap/${name}`)),
    [],
  );
});

test('a container that ends while the server is away is seen, and started again', async () => {
  const before = await restarts();
  process.kill(serverPid(), 'SIGKILL');
  const conmon = processesOfCluster().find((pid) => isConmon(String(pid)));
  assert.notEqual(conmon, undefined, 'no conmon');
  // The container's own process is the child of its conmon.
  spawnSync('pkill', ['-KILL', '-P', String(conmon)]);
  await bringUp();
  await until('one restart', async () => (await restarts()) !== before, 30_000, restarts);
  await cluster.kubectlOutput('wait --for=condition=Ready pods -l app=web --timeout=60s');
});

test('kill -9 of the server and every conmon: containers run on, or are started again', async () => {
  for (const pid of processesOfCluster()) if (pid === serverPid() || isConmon(String(pid))) kill(pid);
  await bringUp();
  await nodeIsReady();
  await cluster.kubectlOutput('wait --for=condition=Ready pods -l app=web --timeout=60s');
  const pods = (await cluster.kubectlOutput('get pods -l app=web -o name')).trim().split('\n');
  for (const pod of pods) assert.equal(await cluster.kubectlOutput(`exec ${pod} -- echo alive`), 'alive\n');
});

test('kill -9 of every process: the cluster and its pods come back', async () => {
  const before = await podsOfWeb();
  for (const pid of processesOfCluster()) kill(pid);
  await bringUp();
  await isBack(before);
});

test('a machine that restarts (no process, mount, link, rule): the cluster and its pods come back', async () => {
  const before = await podsOfWeb();
  for (const pid of processesOfCluster()) kill(pid);
  for (const mount of mountsOfCluster()) spawnSync('umount', ['-l', mount]);
  const links = JSON.parse((await cluster.exec('ip', '-j link')).stdout) as { ifname: string }[];
  for (const { ifname } of links) if (ifname !== 'lo') await cluster.exec('ip', ['link', 'del', ifname]);
  await cluster.exec('nft', 'flush ruleset');
  await bringUp();
  await isBack(before);
});

const kill = (pid: number) => void spawnSync('kill', ['-9', String(pid)]);

function mountsOfCluster(): string[] {
  return readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(cluster.dataDir))
    .reverse();
}

test('two clusters live side by side in one network, and reset of one leaves the other', async () => {
  const dataDir = join(cluster.folder, 'second');
  const env = { KUBERNODE_DATA_DIR: dataDir, KUBECONFIG: join(dataDir, 'kubeconfig') };
  const up = await cluster.kubernode('up --secure-port 7443', { env });
  assert.equal(up.code, 0, up.stderr);
  try {
    const ranges = (folder: string) => {
      const { clusterCidr, serviceRange } = JSON.parse(readFileSync(join(folder, 'cluster.json'), 'utf8')) as {
        clusterCidr: string;
        serviceRange: string;
      };
      return [clusterCidr, serviceRange];
    };
    assert.equal(new Set([...ranges(cluster.dataDir), ...ranges(dataDir)]).size, 4);
    const nodes = await cluster.kubectl('get nodes', { env });
    assert.equal(nodes.code, 0, nodes.stderr);
    assert.equal((await cluster.kubectl('get deployment web', { env })).code, 1);
  } finally {
    const reset = await cluster.kubernode('reset', { env });
    assert.equal(reset.code, 0, reset.stderr);
  }
  const rules = (await cluster.exec('nft', 'list tables')).stdout.trim().split('\n');
  assert.equal(rules.length, 2, rules.join());
  assert.equal((await podsOfWeb()).trim().split('\n').length, 3);
});

test('a data folder that is in use is refused, by name of the process', async () => {
  const { code, stdout, stderr } = await cluster.kubernode('server --secure-port 7443');
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`in use by process ${serverPid()}`));
  assert.match(stderr, /kubernode down/);
  assert.doesNotMatch(`${stdout}${stderr}`, /^\s+at /m);
  assert.equal((await cluster.kubectl('get nodes')).code, 0);
});
