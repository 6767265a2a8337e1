/** What the runtime makes of cgroup v2: limits reach the kernel, use is read back, ends have a reason, nothing is left. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { silentLogger, systemClock } from '@kubernode/machinery';
import { checkHost, openRuntime, type Runtime, writeBusyboxImage } from '@kubernode/runtime';
import { until } from '../e2e/process.ts';

const image = 'kubernode.local/test:1';
const cgroupRoot = '/kubernode-guest';
const mebibyte = 1024 * 1024;
const metadata = { name: 'pod', namespace: 'default', uid: 'uid', attempt: 0 };

let folder: string;
let runtime: Runtime;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kn-cgroups-'));
  runtime = await openRuntime({
    root: join(folder, 'root'),
    podNetwork: { attach: async () => ({ ips: ['10.0.0.1'] }), detach: async () => {} },
    clock: systemClock,
    log: silentLogger,
    cgroupRoot,
  });
  await writeBusyboxImage(join(folder, 'layout'), { name: image });
  await runtime.images.load(join(folder, 'layout'));
});
after(async () => {
  await runtime.reset();
  await rm(folder, { recursive: true, force: true });
});

type ContainerConfig = Parameters<Runtime['createContainer']>[0]['config'];

async function run(command: readonly string[], linux: NonNullable<ContainerConfig>['linux'] = {}) {
  const { podSandboxId } = await runtime.runPodSandbox({ config: { metadata, linux: { cgroupParent: cgroupRoot } } });
  const config = { metadata: { name: 'main' }, image: { image }, command, linux };
  const { containerId } = await runtime.createContainer({ podSandboxId, config });
  await runtime.startContainer({ containerId });
  return { podSandboxId, containerId, cgroup: join('/sys/fs/cgroup', cgroupRoot, containerId) };
}

const read = (cgroup: string, file: string) => readFileSync(join(cgroup, file), 'utf8').trim();

test('Runtime takes the wanted OCI runtime on cgroup v2', async () => {
  const findings = new Map((await checkHost()).map(({ name, message }) => [name, message]));
  assert.equal(findings.get('cgroups'), 'layout: v2');
  assert.match(findings.get('oci runtime') ?? '', new RegExp(`/${process.env['GUEST_RUNTIME']}$`));
});

test('Runtime hands limits to cgroup v2, and changes them', async () => {
  const resources = {
    cpuShares: 512,
    cpuPeriod: 100_000,
    cpuQuota: 50_000,
    memoryLimitInBytes: 64 * mebibyte,
    memorySwapLimitInBytes: 64 * mebibyte,
    unified: { 'memory.oom.group': '1', 'pids.max': '50' },
  };
  const { podSandboxId, containerId, cgroup } = await run(['sleep', '1000'], { resources });
  assert.equal(read(cgroup, 'memory.max'), String(64 * mebibyte));
  assert.equal(read(cgroup, 'cpu.max'), '50000 100000');
  assert.equal(read(cgroup, 'cpu.weight'), '20');
  assert.equal(read(cgroup, 'memory.oom.group'), '1');
  assert.equal(read(cgroup, 'pids.max'), '50');
  const linux = {
    ...resources,
    memoryLimitInBytes: 96 * mebibyte,
    memorySwapLimitInBytes: 96 * mebibyte,
    cpuQuota: 20_000,
  };
  await runtime.updateContainerResources({ containerId, linux });
  assert.equal(read(cgroup, 'memory.max'), String(96 * mebibyte));
  assert.equal(read(cgroup, 'cpu.max'), '20000 100000');
  await runtime.removePodSandbox({ podSandboxId });
  assert.equal(existsSync(cgroup), false);
});

test('Runtime lets a container see its own cgroup as the root, read-only', async () => {
  const { podSandboxId, containerId } = await run(['sleep', '1000']);
  const cmd = ['sh', '-c', 'cat /proc/1/cgroup; ls /sys/fs/cgroup/cgroup.procs; mkdir /sys/fs/cgroup/x'];
  const { stdout, stderr } = await runtime.execSync({ containerId, cmd, timeout: 10 });
  assert.equal(Buffer.from(stdout).toString(), '0::/\n/sys/fs/cgroup/cgroup.procs\n');
  assert.match(Buffer.from(stderr).toString(), /Read-only file system/);
  await runtime.removePodSandbox({ podSandboxId });
});

test('Runtime tells what a container uses', async () => {
  const resources = { memoryLimitInBytes: 64 * mebibyte, memorySwapLimitInBytes: 64 * mebibyte };
  const { podSandboxId, containerId } = await run(['sh', '-c', 'while :; do :; done'], { resources });
  let nanoseconds = 0;
  await until('growing CPU time', async () => {
    const { stats } = await runtime.containerStats({ containerId });
    const before = nanoseconds;
    nanoseconds = stats?.cpu?.usageCoreNanoSeconds?.value ?? 0;
    assert.ok((stats?.memory?.usageBytes?.value ?? 0) > 0);
    assert.ok((stats?.memory?.availableBytes?.value ?? 0) < 64 * mebibyte);
    return before > 0 && nanoseconds > before;
  });
  const { stats } = await runtime.podSandboxStats({ podSandboxId });
  assert.ok((stats?.linux?.process?.processCount?.value ?? 0) >= 1);
  await runtime.removePodSandbox({ podSandboxId });
});

test('Runtime kills a whole container that is out of memory where it is told to', async () => {
  const resources = {
    memoryLimitInBytes: 16 * mebibyte,
    memorySwapLimitInBytes: 16 * mebibyte,
    unified: { 'memory.oom.group': '1' },
  };
  // The first process does nothing: only its child asks for too much.
  const child = 'x=a; while :; do x=$x$x; done';
  const { podSandboxId, containerId } = await run(['sh', '-c', `sh -c '${child}'; sleep 1000`], { resources });
  const state = async () => (await runtime.containerStatus({ containerId })).status;
  await until('end', async () => (await state())?.state === 'CONTAINER_EXITED', 60_000);
  const status = await state();
  assert.deepEqual([status?.reason, status?.exitCode], ['OOMKilled', 137]);
  await runtime.removePodSandbox({ podSandboxId });
});

test('Runtime leaves no cgroup behind after a reset', async () => {
  await run(['sh', '-c', 'sleep 1000 & sleep 1000']);
  await runtime.reset();
  const left = existsSync(join('/sys/fs/cgroup', cgroupRoot));
  assert.equal(left, false);
});
