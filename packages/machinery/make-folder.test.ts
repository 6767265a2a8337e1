import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeFolder, makeFolderSync } from './make-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'kn-make-folder-'));
after(() => rmSync(root, { recursive: true }));

const ways = [
  ['makeFolder', makeFolder],
  ['makeFolderSync', async (path: string, mode: number) => makeFolderSync(path, mode)],
] as const;

for (const [name, make] of ways) {
  const own = join(root, name);

  test(`${name} makes what is missing above, and says whether the folder was missing`, async () => {
    assert.equal(await make(join(own, 'a', 'b'), 0o755), true);
    assert.equal(await make(join(own, 'a', 'b'), 0o755), false);
    assert.equal(await make(join(own, 'a', 'c'), 0o755), true);
    assert.equal(existsSync(join(own, 'a', 'c')), true);
  });

  test(`${name} passes the system's error on where something else is in the way`, async () => {
    await make(own, 0o755);
    writeFileSync(join(own, 'file'), '');
    symlinkSync(join(own, 'nowhere'), join(own, 'dangling'));
    await assert.rejects(make(join(own, 'file'), 0o755), { code: 'EEXIST' });
    await assert.rejects(make(join(own, 'file', 'a'), 0o755), { code: 'ENOTDIR' });
    await assert.rejects(make(join(own, 'dangling', 'a'), 0o755), { code: 'EEXIST' });
  });

  test(`${name} gives up where the file system takes no folders`, { skip: !existsSync('/proc/self') }, async () => {
    await assert.rejects(make('/proc/x/y', 0o755), /^Error: the file system of \/proc takes no new folders$/);
  });
}
