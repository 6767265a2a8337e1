import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testNode, testPod } from '../shared/testing.ts';
import { outOfService, surplusFinished, unscheduledTerminating } from './decide.ts';

const deletionTimestamp = '2026-01-01T00:00:00Z';
const names = (pods: readonly { metadata: { name: string } }[]) => pods.map(({ metadata }) => metadata.name).join();

test('surplusFinished takes the oldest', () => {
  const ended = (name: string, creationTimestamp: string) =>
    testPod(name, { metadata: { creationTimestamp }, status: { phase: 'Succeeded' } });
  const pods = [ended('b', '2026-01-02T00:00:00Z'), ended('a', '2026-01-01T00:00:00Z'), testPod('runs')];
  assert.equal(names(surplusFinished(pods, 1)), 'a');
  assert.equal(names(surplusFinished(pods, 2)), '');
});

test('unscheduledTerminating finds what no kubelet will end', () => {
  const pods = [
    testPod('lost', { metadata: { deletionTimestamp } }),
    testPod('bound', { metadata: { deletionTimestamp }, spec: { nodeName: 'n' } }),
    testPod('waits'),
  ];
  assert.equal(names(unscheduledTerminating(pods)), 'lost');
});

test('outOfService asks for the taint and a node that is down', () => {
  const pod = testPod('a', { metadata: { deletionTimestamp }, spec: { nodeName: 'n' } });
  const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' as const }];
  const down = { conditions: [{ type: 'Ready', status: 'Unknown' }] };
  assert.equal(names(outOfService([pod], () => testNode('n', { spec: { taints }, status: down }))), 'a');
  assert.equal(names(outOfService([pod], () => testNode('n', { spec: { taints } }))), '');
  assert.equal(names(outOfService([pod], () => testNode('n', { status: down }))), '');
});
