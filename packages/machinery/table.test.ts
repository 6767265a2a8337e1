import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from './table.ts';

test('table knows its own names only', () => {
  const known = table({ a: 1 });
  assert.equal(known['a'], 1);
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) assert.equal(known[name], undefined);
});
