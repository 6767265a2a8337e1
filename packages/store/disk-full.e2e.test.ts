import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

test('openSqliteStore names a full disk, reads on, and writes again without a restart', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'kubernode-full-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const script = join(import.meta.dirname, 'disk-full-writer.ts');
  // A mount namespace of its own: the small disk ends with the process.
  const command = 'mount -t tmpfs -o size=10m none "$1" && exec "$2" "$3" "$1"';
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    ['--mount', 'sh', '-ec', command, 'sh', directory, process.execPath, script],
    { encoding: 'utf8', timeout: 30_000 },
  );
  assert.equal(stdout, 'ok\n', stderr);
  assert.equal(status, 0);
});
