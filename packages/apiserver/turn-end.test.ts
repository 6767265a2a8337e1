import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { TurnEnd } from './turn-end.ts';

test('TurnEnd calls back once, in order, no more in a turn than it may', async () => {
  const turnEnd = new TurnEnd(2);
  const called: string[] = [];
  for (const name of ['a', 'b', 'c']) turnEnd.after(() => called.push(name));
  turnEnd.after(() => turnEnd.after(() => called.push('later')));
  assert.deepEqual(called, []);
  await setImmediate();
  assert.deepEqual(called, ['a', 'b']);
  await setImmediate();
  assert.deepEqual(called, ['a', 'b', 'c']);
  await turnEnd.over();
  assert.deepEqual(called, ['a', 'b', 'c', 'later']);
});
