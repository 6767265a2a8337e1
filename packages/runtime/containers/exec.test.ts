import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { execInContainer } from './exec.ts';
import type { OciRuntime } from './oci-runtime.ts';

test('execInContainer ends although its reader is gone', async () => {
  const bundle = await mkdtemp(join(tmpdir(), 'kn-exec-'));
  await writeFile(join(bundle, 'config.json'), '{"process":{}}');
  // A shell in the runtime's place: more output than pipes and buffers hold.
  const script = 'echo 1 > "$0"; head -c 1000000 /dev/zero; exit 7';
  const execArgs = (_: string, { pidFile }: { readonly pidFile: string }) => ['-c', script, pidFile];
  const oci = { path: 'sh', execArgs } as unknown as OciRuntime;
  const stdout = new PassThrough();
  stdout.destroy();
  await new Promise((closed) => stdout.once('close', closed));
  const streams = { stdout };
  assert.equal(await execInContainer({ oci, containerId: 'c', bundle, command: [], tty: false, streams }), 7);
  await rm(bundle, { recursive: true });
});
