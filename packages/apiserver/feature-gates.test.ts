import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFeatureGates } from './feature-gates.ts';

test('parseFeatureGates reads names with true or false', () => {
  assert.deepEqual(parseFeatureGates(''), {});
  assert.deepEqual(parseFeatureGates('AllAlpha=true, APIServerIdentity=false'), {
    AllAlpha: true,
    APIServerIdentity: false,
  });
});

test('parseFeatureGates refuses what it does not know, by name', () => {
  assert.throws(() => parseFeatureGates('NoSuchGate=true'), /there is no feature gate "NoSuchGate"/);
  assert.throws(() => parseFeatureGates('AllAlpha=maybe'), /"AllAlpha=maybe" is not understood/);
  assert.throws(() => parseFeatureGates('AllAlpha'), /expected AllAlpha=true or false/);
});
