import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lease } from '@kubernode/api/coordination/v1';
import { testNode, testObject } from '../shared/testing.ts';
import { isSilent, observe, unknownConditions } from './health.ts';
import { missingLabels } from './labels.ts';
import { noScheduleTaints, notReadyTaint, unreachableTaint, withNoExecuteTaint } from './taints.ts';
import { taintsPerSecond, zoneStates } from './zones.ts';

const startMs = Date.parse('2026-01-01T00:00:00Z');
const inZone = (name: string, zone: string, status: string) =>
  testNode(name, {
    metadata: { labels: { 'topology.kubernetes.io/zone': zone } },
    status: { conditions: [{ type: 'Ready', status }] },
  });
const lease = (renewTime: string): Lease => testObject<Lease>({ metadata: { name: 'n' }, spec: { renewTime } });

test('noScheduleTaints follows conditions and the cordon', () => {
  const cases: [string, string, string][] = [
    ['Ready', 'False', notReadyTaint],
    ['Ready', 'Unknown', unreachableTaint],
    ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
    ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
  ];
  for (const [type, status, key] of cases) {
    const node = testNode('n', { status: { conditions: [{ type, status }] } });
    assert.deepEqual(noScheduleTaints(node, startMs), [
      { key, effect: 'NoSchedule', timeAdded: '2026-01-01T00:00:00Z' },
    ]);
  }
  const cordoned = testNode('n', { spec: { unschedulable: true } });
  assert.equal(noScheduleTaints(cordoned, startMs)?.[0]?.key, 'node.kubernetes.io/unschedulable');
});

test('noScheduleTaints takes its own away, and leaves those of others', () => {
  const other = { key: 'team', effect: 'NoSchedule' as const };
  const node = testNode('n', { spec: { taints: [{ key: notReadyTaint, effect: 'NoSchedule' }, other] } });
  assert.deepEqual(noScheduleTaints(node, startMs), [other]);
  assert.equal(noScheduleTaints(testNode('n', { spec: { taints: [other] } }), startMs), undefined);
});

test('withNoExecuteTaint swaps one for the other', () => {
  const node = testNode('n', { spec: { taints: [{ key: notReadyTaint, effect: 'NoExecute' }] } });
  assert.deepEqual(
    withNoExecuteTaint(node, unreachableTaint, startMs)?.map(({ key }) => key),
    [unreachableTaint],
  );
  assert.equal(withNoExecuteTaint(node, notReadyTaint, startMs), undefined);
  assert.deepEqual(withNoExecuteTaint(node, undefined, startMs), []);
});

test('isSilent comes after the grace period without a heartbeat or a renewed Lease', () => {
  const node = testNode('n');
  const first = observe(undefined, node, lease('2026-01-01T00:00:00.000000Z'), startMs);
  assert.equal(isSilent(first, node, startMs + 49_000), false);
  assert.equal(isSilent(first, node, startMs + 51_000), true);
  const renewed = observe(first, node, lease('2026-01-01T00:00:30.000000Z'), startMs + 30_000);
  assert.equal(isSilent(renewed, node, startMs + 51_000), false);
});

test('unknownConditions turns what the kubelet told into Unknown, and adds what it never told', () => {
  const conditions = unknownConditions(testNode('n'), startMs)!;
  assert.deepEqual(
    conditions.map(({ type, status, reason }) => [type, status, reason]),
    [
      ['Ready', 'Unknown', 'NodeStatusUnknown'],
      ['MemoryPressure', 'Unknown', 'NodeStatusNeverUpdated'],
      ['DiskPressure', 'Unknown', 'NodeStatusNeverUpdated'],
      ['PIDPressure', 'Unknown', 'NodeStatusNeverUpdated'],
    ],
  );
  assert.equal(unknownConditions(testNode('n', { status: { conditions } }), startMs), undefined);
});

test('zoneStates tells how much of a zone is down', () => {
  const nodes = [
    ...['a', 'b', 'c'].map((name) => inZone(name, 'full', 'False')),
    ...['d', 'e', 'f'].map((name) => inZone(name, 'partial', 'Unknown')),
    inZone('g', 'partial', 'True'),
    inZone('h', 'normal', 'True'),
  ];
  const states = [...zoneStates(nodes)].map(([zone, { state }]) => [zone, state]);
  assert.deepEqual(states, [
    [':full', 'FullDisruption'],
    [':partial', 'PartialDisruption'],
    [':normal', 'Normal'],
  ]);
});

test('taintsPerSecond evicts nothing where all is down, and little in a zone that half is', () => {
  assert.equal(taintsPerSecond('FullDisruption', 3, true), 0);
  assert.equal(taintsPerSecond('FullDisruption', 3, false), 0.1);
  assert.equal(taintsPerSecond('PartialDisruption', 10, false), 0);
  assert.equal(taintsPerSecond('PartialDisruption', 100, false), 0.01);
});

test('missingLabels keeps the old names of labels', () => {
  assert.deepEqual(missingLabels({ 'kubernetes.io/os': 'linux' }), { 'beta.kubernetes.io/os': 'linux' });
  assert.equal(missingLabels({ 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'linux' }), undefined);
});
