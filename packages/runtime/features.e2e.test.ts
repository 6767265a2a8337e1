import assert from 'node:assert/strict';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTestContainer, openTestRuntime, type TestRuntime, waitForEnd } from './testing/open.ts';

let host: TestRuntime;
before(async () => {
  host = await openTestRuntime();
});
after(() => host.end());

async function say(containerId: string, script: string): Promise<string> {
  const answer = await host.runtime.execSync({ containerId, cmd: ['sh', '-c', script], timeout: 5 });
  return Buffer.from(answer.stdout).toString() + Buffer.from(answer.stderr).toString();
}

const sleeping = ['sleep', '1000'];

test('Runtime gives a pod its host name, DNS, sysctls, shared memory and loopback', async () => {
  const { runtime } = host;
  const dnsConfig = { servers: ['10.0.0.10'], searches: ['a.local', 'b.local'], options: ['ndots:5'] };
  const ids = await createTestContainer(
    runtime,
    { command: sleeping },
    { dnsConfig, linux: { sysctls: { 'net.ipv4.tcp_syncookies': '0', 'kernel.shm_rmid_forced': '1' } } },
  );
  await runtime.startContainer(ids);
  const script =
    'hostname; cat /etc/resolv.conf /proc/sys/net/ipv4/tcp_syncookies /proc/sys/kernel/shm_rmid_forced; ip link show lo';
  const text = await say(ids.containerId, `${script}; df -k /dev/shm | tail -1`);
  assert.match(text, /^pod\nsearch a.local b.local\nnameserver 10.0.0.10\noptions ndots:5\n0\n1\n/);
  assert.match(text, /lo: <LOOPBACK,UP/);
  assert.match(text, /65536/);
  await runtime.removePodSandbox(ids);
});

test('Runtime refuses sysctls that would change the host, and user namespaces', async () => {
  const { runtime } = host;
  const metadata = { name: 'x' };
  const run = (linux: object) => runtime.runPodSandbox({ config: { metadata, linux } });
  await assert.rejects(
    run({ sysctls: { 'vm.swappiness': '1' } }),
    /"vm.swappiness" is not in a separate kernel namespace/,
  );
  await assert.rejects(
    run({ sysctls: { 'net.ipv4.ip_forward': '1' }, securityContext: { namespaceOptions: { network: 'NODE' } } }),
    /not allowed in host network namespace/,
  );
  await assert.rejects(run({ securityContext: { namespaceOptions: { usernsOptions: { mode: 'POD' } } } }), {
    code: 'Unimplemented',
  });
  assert.deepEqual((await runtime.listPodSandbox({})).items, []);
});

test('Runtime lets a privileged pod into the host namespaces', async () => {
  const { runtime } = host;
  const namespaceOptions = { network: 'NODE', pid: 'NODE', ipc: 'NODE' } as const;
  const linux = { securityContext: { namespaceOptions, privileged: true } };
  const ids = await createTestContainer(runtime, { command: sleeping, linux }, { linux });
  await runtime.startContainer(ids);
  const text = await say(
    ids.containerId,
    `hostname; grep Seccomp: /proc/self/status; ls /dev/loop-control; [ -d /proc/${process.pid} ] && echo seen`,
  );
  assert.match(text, new RegExp(`^${hostname()}\nSeccomp:\t0\n[^]*seen\n$`));
  await runtime.stopContainer({ containerId: ids.containerId, timeout: 0 });
  assert.equal((await runtime.containerStatus(ids)).status?.exitCode, 137);
  await runtime.removePodSandbox(ids);
});

test('Runtime mounts volumes, read-only where asked, inner folders last', async () => {
  const { runtime, folder } = host;
  await mkdir(join(folder, 'volume'));
  await writeFile(join(folder, 'volume/file'), 'from the host');
  const ids = await createTestContainer(runtime, {
    command: sleeping,
    mounts: [
      { containerPath: '/data/inner', hostPath: join(folder, 'made'), readonly: false },
      { containerPath: '/data', hostPath: join(folder, 'volume'), readonly: true },
      { containerPath: '/etc/hosts', hostPath: join(folder, 'volume/file') },
    ],
  });
  await mkdir(join(folder, 'volume/inner'), { recursive: true });
  await runtime.startContainer(ids);
  const text = await say(
    ids.containerId,
    'cat /data/file /etc/hosts; touch /data/x; echo y > /data/inner/y; echo z > /z',
  );
  assert.match(text, /from the hostfrom the host/);
  assert.match(text, /\/data\/x: Read-only file system/);
  assert.equal(await readFile(join(folder, 'made/y'), 'utf8'), 'y\n');
  await runtime.removePodSandbox(ids);
});

test('Runtime reopens a log that was rotated', async () => {
  const { runtime, folder } = host;
  const log = join(folder, 'rotated/0.log');
  const command = ['sh', '-c', 'i=0; while [ $i -lt 30 ]; do echo $i; i=$((i+1)); sleep 0.02; done'];
  const ids = await createTestContainer(
    runtime,
    { command, logPath: '0.log' },
    { logDirectory: join(folder, 'rotated') },
  );
  const ended = waitForEnd(runtime, ids.containerId);
  await runtime.startContainer(ids);
  await say(ids.containerId, 'sleep 0.1');
  await rename(log, `${log}.1`);
  await runtime.reopenContainerLog(ids);
  await ended;
  const lines = (await readFile(`${log}.1`, 'utf8')) + (await readFile(log, 'utf8'));
  const numbers = [...lines.matchAll(/stdout F (\d+)$/gm)].map((match) => Number(match[1]));
  assert.deepEqual(numbers, [...Array(30).keys()]);
  assert.ok((await stat(log)).size > 0);
  await runtime.removePodSandbox(ids);
});

test('Runtime updates limits of a running container, and tells its use', async () => {
  const { runtime } = host;
  const ids = await createTestContainer(runtime, { command: sleeping });
  await runtime.startContainer(ids);
  const linux = { memoryLimitInBytes: 64 * 1024 * 1024, cpuShares: 512 };
  await runtime.updateContainerResources({ containerId: ids.containerId, linux });
  const { status } = await runtime.containerStatus(ids);
  assert.equal(status?.resources?.linux?.memoryLimitInBytes, 64 * 1024 * 1024);
  const { stats } = await runtime.containerStats(ids);
  assert.ok((stats?.memory?.usageBytes?.value ?? 0) > 0);
  assert.ok((stats?.memory?.availableBytes?.value ?? 0) > 32 * 1024 * 1024);
  assert.ok((stats?.cpu?.usageCoreNanoSeconds?.value ?? 0) > 0);
  const pods = await runtime.listPodSandboxStats({});
  assert.equal(pods.stats[0]?.linux?.containers.length, 1);
  await runtime.removePodSandbox(ids);
});

test('Runtime refuses to remove an image in use', async () => {
  const { runtime } = host;
  const ids = await createTestContainer(runtime, { command: sleeping });
  const { image } = await runtime.imageStatus({ image: { image: 'kubernode.local/test:1' } });
  assert.ok(image);
  await assert.rejects(runtime.removeImage({ image: { image: image.id } }), { code: 'FailedPrecondition' });
  await runtime.removePodSandbox(ids);
  const missing = runtime.createContainer({ podSandboxId: 'nope', config: { metadata: { name: 'x' } } });
  await assert.rejects(missing, { code: 'NotFound' });
});
