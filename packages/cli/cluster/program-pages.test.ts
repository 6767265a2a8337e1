import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { programRanges } from './program-pages.ts';

const fields = (anonymous: number) => `Size: 8 kB\nRss: 4 kB\nAnonymous:      ${anonymous} kB\nVmFlags: rd ex mr\n`;

test('programRanges are those of the file that nobody can have changed', () => {
  const smaps = [
    `00400000-00402000 r--p 00000000 08:01 17                 /bin/node\n${fields(0)}`,
    `00402000-00405000 r-xp 00002000 08:01 17                 /bin/node\n${fields(0)}`,
    `00405000-00407000 r--p 00005000 08:01 17                 /bin/node\n${fields(4)}`,
    `00407000-00409000 rw-p 00007000 08:01 17                 /bin/node\n${fields(0)}`,
    `7f0000000000-7f0000002000 rw-p 00000000 00:00 0 \n${fields(0)}`,
    `7f0000002000-7f0000004000 r-xp 00000000 08:01 18         /lib/libc.so.6\n${fields(0)}`,
  ].join('');
  assert.deepEqual(programRanges(smaps, '/bin/node'), [
    { start: 0x400000n, bytes: 0x2000n },
    { start: 0x402000n, bytes: 0x3000n },
  ]);
});

test('releaseProgramPages makes the process smaller, which goes on', { skip: process.platform !== 'linux' }, () => {
  const program = `
    const { releaseProgramPages } = await import(process.argv[1]);
    JSON.parse('{}');
    releaseProgramPages('/proc/self/no-smaps');
    const before = process.memoryUsage.rss();
    releaseProgramPages();
    const after = process.memoryUsage.rss();
    console.log(JSON.stringify({ before, after, sorted: [3, 1, 2].sort() }));`;
  const flags = ['--experimental-ffi', '--disable-warning=ExperimentalWarning', '--input-type=module'];
  const module = join(import.meta.dirname, 'program-pages.ts');
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, '-e', program, module], { encoding: 'utf8' });
  assert.equal(stderr, '');
  const { before, after, sorted } = JSON.parse(stdout) as { before: number; after: number; sorted: number[] };
  assert.deepEqual(sorted, [1, 2, 3]);
  assert.ok(before - after > 10 * 1024 * 1024, `${before} bytes before, ${after} after`);
});
