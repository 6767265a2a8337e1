import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ttlSeconds } from './ttl.ts';

const cases: [number, number | undefined, number][] = [
  [1, undefined, 0],
  [95, 0, 0],
  [95, 15, 15],
  [101, 0, 15],
  [5000, 15, 300],
];
for (const [nodes, current, expected] of cases)
  test(`ttlSeconds of ${nodes} nodes after ${current}`, () => assert.equal(ttlSeconds(nodes, current), expected));
