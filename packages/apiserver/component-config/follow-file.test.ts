import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeClock } from '@kubernode/machinery';
import { followFile, NotYet } from './follow-file.ts';

test('followFile takes over what changed, and tells what cannot be used', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'follow-'));
  const path = join(folder, 'config');
  writeFileSync(path, 'one');
  const end = new AbortController();
  t.after(() => {
    end.abort();
    rmSync(folder, { recursive: true });
  });
  const clock = new FakeClock();
  const taken: string[] = [];
  const attempts: boolean[] = [];
  followFile({
    path,
    text: 'one',
    clock,
    signal: end.signal,
    onAttempt: (isGood) => void attempts.push(isGood),
    onChange(text) {
      if (text === 'bad') throw new Error('no');
      if (text === 'early' && attempts.length < 5) throw new NotYet('not there');
      taken.push(text);
    },
  });
  const change = async (text: string) => {
    const before = attempts.length;
    // At once: whoever reads between truncation and write would find nothing.
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
    // Whether the folder tells of the change or not: it is looked at within a minute.
    for (let turn = 0; turn < 1000 && attempts.length === before; turn++) {
      await clock.advance(60_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await change('two');
  await change('bad');
  await change('three');
  await change('early');
  for (let turn = 0; turn < 1000 && attempts.length < 6; turn++) {
    await clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(taken, ['two', 'three', 'early']);
  assert.deepEqual(attempts, [true, false, true, false, false, true]);
});
