import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLogger, systemClock } from '@kubernode/machinery';
import { createTestContainer, openTestRuntime, waitForEnd } from './testing/open.ts';
import { openRuntime } from './runtime.ts';

/** A process that opens a runtime, starts two containers, says so, and waits to be killed. */
async function killedProcess(): Promise<{ folder: string; ids: { podSandboxId: string; containerId: string }[] }> {
  const child = spawn(process.execPath, [import.meta.filename, 'child'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  return JSON.parse(text) as Awaited<ReturnType<typeof killedProcess>>;
}

if (process.argv[2] === 'child') {
  const { runtime, folder } = await openTestRuntime();
  const logs = { logDirectory: join(folder, 'logs') };
  const wait = 'i=0; while [ $i -lt 20 ]; do echo $i; i=$((i+1)); sleep 0.02; done; exit 9';
  const ids = [
    await createTestContainer(runtime, { command: ['sh', '-c', wait], logPath: 'a.log' }, logs),
    await createTestContainer(runtime, { command: ['sleep', '1000'] }, logs),
  ];
  for (const id of ids) await runtime.startContainer(id);
  process.stdout.write(`${JSON.stringify({ folder, ids })}\n`);
  setInterval(() => {}, 1000);
} else {
  test('openRuntime adopts containers of a killed process and loses no exit code', async () => {
    const { folder, ids } = await killedProcess();
    const [ending, staying] = ids;
    assert.ok(ending && staying);
    const runtime = await openRuntime({
      root: join(folder, 'root'),
      podNetwork: { attach: async () => ({ ips: [] }), detach: async () => {} },
      log: silentLogger,
      clock: systemClock,
    });
    try {
      await waitForEnd(runtime, ending.containerId);
      const { status } = await runtime.containerStatus(ending);
      assert.equal(status?.exitCode, 9);
      assert.match(await readFile(join(folder, 'logs/a.log'), 'utf8'), /stdout F 19\n$/);
      assert.equal((await runtime.containerStatus(staying)).status?.state, 'CONTAINER_RUNNING');
      assert.equal((await runtime.podSandboxStatus(staying)).status?.network?.ip, '10.0.0.1');
      const { exitCode } = await runtime.execSync({ containerId: staying.containerId, cmd: ['true'] });
      assert.equal(exitCode, 0);
    } finally {
      await runtime.reset();
      await rm(folder, { recursive: true, force: true });
    }
  });
}
