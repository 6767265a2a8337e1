import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTestContainer, openTestRuntime, type TestRuntime, waitForEnd } from './testing/open.ts';
import { openRuntime } from './runtime.ts';

let host: TestRuntime;
before(async () => {
  host = await openTestRuntime();
});
after(() => host.end(host.runtime));

test('Runtime runs a container to its end, with log and exit code', async () => {
  const { runtime, folder } = host;
  const command = ['sh', '-c', 'echo out; echo err >&2; hostname; exit 3'];
  const { podSandboxId, containerId } = await createTestContainer(
    runtime,
    { command, logPath: 'main/0.log' },
    { logDirectory: join(folder, 'logs') },
  );
  const ended = waitForEnd(runtime, containerId);
  await runtime.startContainer({ containerId });
  await ended;
  const { status } = await runtime.containerStatus({ containerId });
  assert.equal(status?.exitCode, 3);
  assert.equal(status?.reason, 'Error');
  assert.ok((status?.finishedAt ?? 0) >= (status?.startedAt ?? 0) - 1e9);
  const log = await readFile(join(folder, 'logs/main/0.log'), 'utf8');
  assert.match(log, /^\S+ stdout F out$/m);
  assert.match(log, /^\S+ stderr F err$/m);
  assert.match(log, /^\S+ stdout F pod$/m);
  await runtime.removePodSandbox({ podSandboxId });
  assert.deepEqual((await runtime.listContainers({})).containers, []);
});

test('Runtime says why a command could not be started', async () => {
  const { runtime } = host;
  const { podSandboxId, containerId } = await createTestContainer(runtime, { command: ['no-such-command'] });
  await assert.rejects(runtime.startContainer({ containerId }), (error: Error) => {
    // runc and crun have words of their own.
    assert.match(error.message, /OCI runtime create failed: .*executable file .*not found in \$PATH/);
    assert.match(error.message, /no-such-command/);
    return true;
  });
  const { status } = await runtime.containerStatus({ containerId });
  assert.deepEqual([status?.state, status?.exitCode, status?.reason], ['CONTAINER_EXITED', 128, 'StartError']);
  await runtime.removePodSandbox({ podSandboxId });
});

test('Runtime adopts a running container, and stops it with its grace', async () => {
  const { runtime, options } = host;
  const command = ['sh', '-c', 'trap "exit 7" TERM; while :; do sleep 0.05; done'];
  const { podSandboxId, containerId } = await createTestContainer(runtime, { command });
  await runtime.startContainer({ containerId });
  await runtime.close();
  const next = await openRuntime(options);
  host = { ...host, runtime: next };
  const answer = await next.execSync({ containerId, cmd: ['sh', '-c', 'echo $PPID; cat; exit 4'], timeout: 5 });
  assert.deepEqual([Buffer.from(answer.stdout).toString(), answer.exitCode], ['0\n', 4]);
  await assert.rejects(next.execSync({ containerId, cmd: ['sleep', '60'], timeout: 1 }), { code: 'DeadlineExceeded' });
  await assert.rejects(next.execSync({ containerId, cmd: ['nope'] }), /executable file .*not found/);
  await next.stopContainer({ containerId, timeout: 10 });
  assert.equal((await next.containerStatus({ containerId })).status?.exitCode, 7);
  const { stats } = await next.containerStats({ containerId });
  assert.ok((stats?.writableLayer?.inodesUsed?.value ?? 0) > 0);
  await next.removePodSandbox({ podSandboxId });
});

test('Runtime tells a container that ran out of memory', async () => {
  const { runtime } = host;
  const { podSandboxId, containerId } = await createTestContainer(runtime, {
    command: ['sh', '-c', 'x=a; while :; do x=$x$x; done'],
    linux: { resources: { memoryLimitInBytes: 16 * 1024 * 1024, memorySwapLimitInBytes: 16 * 1024 * 1024 } },
  });
  const ended = waitForEnd(runtime, containerId);
  await runtime.startContainer({ containerId });
  await ended;
  const { status } = await runtime.containerStatus({ containerId });
  assert.deepEqual([status?.reason, status?.exitCode], ['OOMKilled', 137]);
  await runtime.removePodSandbox({ podSandboxId });
});

test('Runtime applies the security context', async () => {
  const { runtime } = host;
  const script =
    'id; grep -E "CapEff|Seccomp:|NoNewPrivs" /proc/self/status; touch /x; cat /proc/1/oom_score_adj; env | sort';
  const { podSandboxId, containerId } = await createTestContainer(runtime, {
    command: ['sleep', '60'],
    envs: [{ key: 'A', value: Buffer.from('b c') }],
    linux: {
      resources: { oomScoreAdj: -997 },
      securityContext: {
        runAsUser: { value: 1000 },
        runAsGroup: { value: 2000 },
        supplementalGroups: [3000],
        readonlyRootfs: true,
        noNewPrivs: true,
        seccomp: { profileType: 'RuntimeDefault' },
        capabilities: { dropCapabilities: ['ALL'], addCapabilities: ['NET_BIND_SERVICE'] },
      },
    },
  });
  await runtime.startContainer({ containerId });
  const answer = await runtime.execSync({ containerId, cmd: ['sh', '-c', script], timeout: 5 });
  const text = Buffer.from(answer.stdout).toString();
  assert.match(text, /^uid=1000 gid=2000 groups=2000,3000$/m);
  assert.match(text, /^NoNewPrivs:\t1$/m);
  assert.match(text, /^Seccomp:\t2$/m);
  assert.match(text, /^A=b c$/m);
  assert.match(Buffer.from(answer.stderr).toString(), /Read-only file system/);
  await runtime.removePodSandbox({ podSandboxId });
});

test('Runtime shares a process namespace among the containers of a pod', async () => {
  const { runtime } = host;
  const linux = { securityContext: { namespaceOptions: { pid: 'POD' } } } as const;
  const { podSandboxId, containerId } = await createTestContainer(
    runtime,
    { command: ['sleep', '60'], linux },
    { linux },
  );
  await runtime.startContainer({ containerId });
  const answer = await runtime.execSync({ containerId, cmd: ['ps', '-o', 'pid,args'], timeout: 5 });
  assert.match(Buffer.from(answer.stdout).toString(), /^ +1 \/bin\/sh -c trap/m);
  await runtime.stopPodSandbox({ podSandboxId });
  assert.equal((await runtime.podSandboxStatus({ podSandboxId })).status?.state, 'SANDBOX_NOTREADY');
  await runtime.removePodSandbox({ podSandboxId });
});
