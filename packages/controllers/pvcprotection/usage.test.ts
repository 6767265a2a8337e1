import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PersistentVolumeClaim } from '@kubernode/api/core/v1';
import { testObject, testPod } from '../shared/testing.ts';
import { conditionsWithUnused, holds } from './usage.ts';

const nowMs = Date.parse('2026-01-01T00:00:00Z');
const claim = (phase = 'Bound') =>
  testObject<PersistentVolumeClaim>({
    metadata: { name: 'data', namespace: 'default' },
    status: { phase: phase as 'Bound' },
  });
const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];

test('holds counts pods on a node only', () => {
  assert.equal(holds(testPod('a', { spec: { volumes } }), claim()), false);
  assert.equal(holds(testPod('a', { spec: { volumes, nodeName: 'n' } }), claim()), true);
  assert.equal(holds(testPod('a', { spec: { nodeName: 'n' } }), claim()), false);
});

test('conditionsWithUnused tells whether a pod that has not ended names the claim', () => {
  const [unused] = conditionsWithUnused(claim(), [testPod('a', { status: { phase: 'Succeeded' } })], nowMs)!;
  assert.deepEqual([unused?.status, unused?.reason], ['True', 'NoPodsUsingPVC']);
  const [used] = conditionsWithUnused(claim(), [testPod('a', { status: { phase: 'Pending' } })], nowMs)!;
  assert.deepEqual([used?.status, used?.reason], ['False', 'PodUsingPVC']);
  assert.equal(conditionsWithUnused(claim('Pending'), [], nowMs), undefined);
});
