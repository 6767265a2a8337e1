import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { startCompactor } from './compactor.ts';
import { Compacted } from './errors.ts';
import { memoryStore } from './memory.ts';

test('startCompactor keeps what was there one interval ago', async () => {
  const store = memoryStore();
  const clock = new FakeClock();
  const told: number[] = [];
  const onCompacted = (before: number) => void told.push(before);
  const compactor = startCompactor({ store, clock, log: silentLogger, intervalMs: 1_000, onCompacted });
  for (let i = 0; i < 3; i++) {
    await clock.advance(500);
    await store.write([{ key: 'a', value: Buffer.from(`${i}`), expect: 'any' }]);
    await clock.advance(500);
  }
  assert.equal(Buffer.from((await store.get('a', 3))!.value).toString(), '1');
  await assert.rejects(store.get('a', 2), Compacted);
  assert.equal(told.at(-1), 3);
  await compactor.stop();
  await clock.advance(10_000);
  assert.ok(await store.get('a', 3));
  await store.close();
});
