import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSqliteStore } from './sqlite.ts';
import { prefixRange } from './store.ts';

const kills = 20;
/** After the first acknowledged write. */
const aliveMsMax = 60;

/** Runs a writer and kills it at a random moment; answers the acknowledged writes. */
async function runAndKill(path: string, run: number): Promise<Map<string, { counter: number; revision: number }>> {
  const script = join(import.meta.dirname, 'kill-writer.ts');
  const child = spawn(process.execPath, [script, path, String(run)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const acknowledged = new Map<string, { counter: number; revision: number }>();
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (text === '') setTimeout(() => child.kill('SIGKILL'), Math.random() * aliveMsMax);
    text += chunk;
  });
  await Promise.all([exited, once(child.stdout, 'end')]);
  for (const line of text.slice(0, text.lastIndexOf('\n')).split('\n')) {
    const [key = '', counter, revision] = line.split(' ');
    acknowledged.set(key, { counter: Number(counter), revision: Number(revision) });
  }
  return acknowledged;
}

test('openSqliteStore loses no acknowledged write and no revision to kill -9', { timeout: 60_000 }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'kubernode-kill-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'state.db');
  let newest = 1;
  let writes = 0;
  for (let run = 1; run <= kills; run++) {
    const acknowledged = await runAndKill(path, run);
    const store = await openSqliteStore({ path });
    const revision = await store.revision();
    assert.ok(revision >= newest, `revision ${revision} after ${newest}`);
    for (const [key, { counter, revision: written }] of acknowledged) {
      assert.ok(revision >= written, `revision ${revision}, acknowledged ${written}`);
      const [entry, copy] = [await store.get(key), await store.get(`/copy${key}`)];
      const found = Number.parseInt(Buffer.from(entry!.value).toString(), 10);
      assert.ok(found >= counter, `${key} is ${found}, acknowledged ${counter}`);
      assert.equal(Number.parseInt(Buffer.from(copy!.value).toString(), 10), found, 'half of a write');
      assert.equal(copy!.revision, entry!.revision);
      writes += counter % 1_000_000;
    }
    assert.equal((await store.list(prefixRange('/k/'))).entries.length, 8);
    newest = revision;
    await store.close();
  }
  t.diagnostic(`${kills} kills, ${writes} acknowledged writes, revision ${newest}`);
});
