import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfFormat } from './formats.ts';

test('isOfFormat refuses at once what could be read in many ways', () => {
  // Each of these would be tried in 2^300 ways, or in the square of its length.
  for (const text of [`${'00h'.repeat(300)}.`, `0${'1'.repeat(200_000)}`, `1s${' '.repeat(200_000)}x`]) {
    assert.equal(isOfFormat(text, 'duration'), false);
  }
  assert.equal(isOfFormat('a@'.repeat(100_000), 'email'), false);
  assert.equal(isOfFormat(`${'a.'.repeat(100_000)}-`, 'hostname'), false);
});

test('isOfFormat knows durations', () => {
  for (const text of ['1h', '1.5 hours', '+.5s', '1m 30s', '0', '1.s'])
    assert.equal(isOfFormat(text, 'duration'), true);
  for (const text of ['', '1', '1x', 's', '1h-']) assert.equal(isOfFormat(text, 'duration'), false, text);
});
