import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Toleration } from '@kubernode/api/core/v1';
import { stayMs } from './decide.ts';

/** As integers beyond 2^53 come out of bodies. */
const longSeconds = (2n ** 53n + 1n) as unknown as number;
const bad = { key: 'bad', value: 'x', effect: 'NoExecute' as const };
const cases: [string, readonly Toleration[], number | undefined][] = [
  ['without a toleration', [], 0],
  ['for ever', [{ key: 'bad', operator: 'Exists' }], undefined],
  ['for longer than a number counts', [{ operator: 'Exists', tolerationSeconds: longSeconds }], 2 ** 53 * 1000],
  ['for the seconds it says', [{ key: 'bad', operator: 'Exists', tolerationSeconds: 2 }], 2_000],
  [
    'for the least of several',
    [
      { operator: 'Exists', tolerationSeconds: 5 },
      { key: 'bad', value: 'x', tolerationSeconds: 3 },
    ],
    3_000,
  ],
  ['not at all below zero', [{ operator: 'Exists', tolerationSeconds: -1 }], 0],
  ['not with another value', [{ key: 'bad', value: 'y' }], 0],
];

for (const [name, tolerations, expected] of cases)
  test(`stayMs lets a pod stay: ${name}`, () => assert.equal(stayMs([bad], tolerations), expected));

test('stayMs needs every taint tolerated', () => {
  assert.equal(stayMs([bad, { key: 'worse', effect: 'NoExecute' }], [{ key: 'bad', operator: 'Exists' }]), 0);
});
