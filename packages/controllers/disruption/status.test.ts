import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Draft } from '@kubernode/api';
import type { PodDisruptionBudget } from '@kubernode/api/policy/v1';
import { testObject, testPod } from '../shared/testing.ts';
import { disruptedPods, expectation, failedStatus, statusOf } from './status.ts';

const nowMs = Date.parse('2026-01-01T00:10:00Z');
const budget = (spec: Draft<PodDisruptionBudget>['spec'], status: Draft<PodDisruptionBudget>['status'] = {}) =>
  testObject<PodDisruptionBudget>({ metadata: { name: 'b', generation: 1 }, spec: spec ?? {}, status: status ?? {} });
const pods = ['a', 'b', 'c', 'd'].map((name) => testPod(name));

const cases: [string, Draft<PodDisruptionBudget>['spec'], number, number, number][] = [
  ['maxUnavailable', { maxUnavailable: 1 }, 4, 4, 3],
  ['a share of maxUnavailable', { maxUnavailable: '50%' }, 4, 4, 2],
  ['maxUnavailable without controllers', { maxUnavailable: 1 }, 0, 0, 0],
  ['minAvailable', { minAvailable: 2 }, 9, 4, 2],
  ['a share of minAvailable, rounded up', { minAvailable: '60%' }, 4, 4, 3],
];
for (const [name, spec, scale, expectedPods, desiredHealthy] of cases) {
  test(`expectation of ${name}`, () => {
    assert.deepEqual(expectation(budget(spec), pods, scale), { expectedPods, desiredHealthy });
  });
}

test('statusOf counts ready pods that stay', () => {
  const some = [
    ...pods.slice(0, 2),
    testPod('goes', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    testPod('not-ready', { status: { conditions: [{ type: 'Ready', status: 'False' }] } }),
  ];
  const status = statusOf(budget({ minAvailable: 1 }), some, { expectedPods: 4, desiredHealthy: 1 }, {}, nowMs);
  assert.equal(status.currentHealthy, 2);
  assert.equal(status.disruptionsAllowed, 1);
  assert.equal(status.conditions?.[0]?.reason, 'SufficientPods');
});

test('statusOf allows nothing where no pod is expected', () => {
  const status = statusOf(budget({ maxUnavailable: 1 }), pods, { expectedPods: 0, desiredHealthy: 0 }, {}, nowMs);
  assert.equal(status.disruptionsAllowed, 0);
  assert.equal(status.conditions?.[0]?.reason, 'InsufficientPods');
});

test('disruptedPods waits two minutes for a deletion', () => {
  const asked = { a: '2026-01-01T00:09:00Z', b: '2026-01-01T00:01:00Z', gone: '2026-01-01T00:09:00Z' };
  const result = disruptedPods(budget({}, { disruptedPods: asked }), pods, nowMs);
  assert.deepEqual(result.pods, { a: asked.a });
  assert.deepEqual(
    result.expired.map(({ metadata }) => metadata.name),
    ['b'],
  );
  assert.equal(result.nextMs, nowMs + 60_000);
});

test('failedStatus allows nothing', () => {
  const status = failedStatus(budget({}, { disruptionsAllowed: 3 }), 'no scale', nowMs);
  assert.deepEqual([status.disruptionsAllowed, status.conditions?.[0]?.reason], [0, 'SyncFailed']);
});
