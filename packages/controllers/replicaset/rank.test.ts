import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nowMs, podOf } from '../testing/objects.ts';
import { podsToDelete } from './rank.ts';

const cost = (value: string) => ({ 'controller.kubernetes.io/pod-deletion-cost': value });

const pairs: readonly [what: string, goes: Parameters<typeof podOf>[1], stays: Parameters<typeof podOf>[1]][] = [
  ['without a node', { node: '', phase: 'Pending' }, { phase: 'Pending' }],
  ['that does not run yet', { phase: 'Pending' }, { ready: false }],
  ['that is not ready', { ready: false }, {}],
  ['of lower cost', { annotations: cost('-1') }, {}],
  ['that is ready for a shorter time', { readySeconds: 5 }, { readySeconds: 500 }],
  ['that was restarted more often', { restarts: 3 }, { restarts: 1 }],
  ['that is newer', { ageSeconds: 5 }, { ageSeconds: 500 }],
];

for (const [what, goes, stays] of pairs) {
  test(`podsToDelete takes a pod ${what} first`, () => {
    const pods = [podOf('stays', stays), podOf('goes', goes)];
    assert.deepEqual(
      podsToDelete(pods, [], 1, nowMs).map(({ metadata }) => metadata.name),
      ['goes'],
    );
  });
}

test('podsToDelete thins out the fullest node', () => {
  const pods = [podOf('a', { node: 'n1' }), podOf('b', { node: 'n2' }), podOf('c', { node: 'n2' })];
  const [first] = podsToDelete(pods, pods, 1, nowMs);
  assert.equal(first?.spec.nodeName, 'n2');
});
