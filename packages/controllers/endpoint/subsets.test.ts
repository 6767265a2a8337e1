import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPod, testService } from '../shared/testing.ts';
import { addressesMax, subsetsOfService, truncated } from './subsets.ts';

const ports = [{ port: 80, targetPort: 8080 }];

test('subsetsOfService parts ready from not ready, and leaves out what ends', () => {
  const pods = [
    testPod('b', { status: { podIP: '10.0.0.2' } }),
    testPod('a'),
    testPod('c', { status: { podIP: '10.0.0.3', conditions: [] } }),
    testPod('d', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
  ];
  const [subset, ...others] = subsetsOfService(testService('web', { ports }), pods);
  assert.deepEqual(
    subset?.addresses?.map(({ ip }) => ip),
    ['10.0.0.1', '10.0.0.2'],
  );
  assert.deepEqual(
    subset?.notReadyAddresses?.map(({ ip }) => ip),
    ['10.0.0.3'],
  );
  assert.deepEqual(subset?.ports, [{ port: 8080, protocol: 'TCP' }]);
  assert.deepEqual(others, []);
});

test('subsetsOfService of a headless service without ports has addresses only', () => {
  const [subset] = subsetsOfService(testService('web', { clusterIP: 'None' }), [testPod('a')]);
  assert.deepEqual(Object.keys(subset ?? {}), ['addresses']);
});

test('truncated keeps the ready ones first', () => {
  const addresses = Array.from({ length: addressesMax }, (_, index) => ({ ip: `ip-${index}` }));
  const { subsets, isTruncated } = truncated([{ notReadyAddresses: [{ ip: 'x' }] }, { addresses }]);
  assert.equal(isTruncated, true);
  assert.deepEqual(
    subsets.map((subset) => Object.keys(subset)),
    [['addresses']],
  );
});
