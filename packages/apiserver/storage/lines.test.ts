import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { FakeClock } from '@kubernode/machinery';
import { Lines } from './lines.ts';

/** Work that takes until it is told to end. */
function startWorks() {
  const clock = new FakeClock();
  const lines = new Lines(clock);
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const start = (key: string, name: string): Promise<string> =>
    lines.inTurn(key, () => {
      begun.push(name);
      return new Promise((resolve, reject) => ends.set(name, (error) => (error ? reject(error) : resolve(name))));
    });
  const end = async (name: string, error?: Error) => {
    ends.get(name)!(error);
    await nextTurn();
  };
  return { clock, begun, start, end };
}

test('Lines lets one after the other work on a key, and others on theirs', async () => {
  const { begun, start, end } = startWorks();
  const all = [start('k', 'a'), start('k', 'b'), start('other', 'c'), start('k', 'd')];
  await nextTurn();
  assert.deepEqual(begun, ['a', 'c']);
  await end('a');
  assert.deepEqual(begun, ['a', 'c', 'b']);
  await end('b');
  assert.deepEqual(begun, ['a', 'c', 'b', 'd']);
  await end('c');
  await end('d');
  assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd']);
});

test('Lines goes on after what failed', async () => {
  const { begun, start, end } = startWorks();
  const failed = assert.rejects(start('k', 'a'), /no/);
  const later = start('k', 'b');
  await end('a', new Error('no'));
  await failed;
  assert.deepEqual(begun, ['a', 'b']);
  await end('b');
  assert.equal(await later, 'b');
});

test('Lines lets nobody wait for long, and those behind wait for the one before them', async () => {
  const { clock, begun, start, end } = startWorks();
  const all = [start('k', 'a'), start('k', 'b')];
  await clock.advance(90);
  all.push(start('k', 'c'));
  await clock.advance(10);
  assert.deepEqual(begun, ['a', 'b']);
  await end('a');
  assert.deepEqual(begun, ['a', 'b']);
  await end('b');
  assert.deepEqual(begun, ['a', 'b', 'c']);
  await end('c');
  await Promise.all(all);
  all.push(start('k', 'd'));
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
  await end('d');
});

test('Lines lets nobody overtake who has waited for long and has just begun', async () => {
  const { clock, begun, start, end } = startWorks();
  const all = ['a', 'b', 'c', 'd'].map((name) => start('k', name));
  for (const name of ['a', 'b', 'c']) {
    await clock.advance(90);
    await end(name);
  }
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
  await clock.advance(90);
  all.push(start('k', 'e'));
  await clock.advance(90);
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
  await clock.advance(10);
  assert.deepEqual(begun, ['a', 'b', 'c', 'd', 'e']);
  await end('d');
  await end('e');
  await Promise.all(all);
});
