import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodDisruptionBudget } from '@kubernode/api/policy/v1';
import { schedule } from './cycle.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import { defaultPlugins } from './plugins/index.ts';
import { preempt } from './preemption.ts';
import { nodeOf, podOf, snapshotOf } from './testing/objects.ts';

const of = (name: string, cpu: string, priority: number) =>
  podOf(name, { priority, containers: [{ name: 'c', resources: { requests: { cpu } } }] }, { app: name });

function preemptFor(pod: PodInfo, nodes: readonly NodeInfo[], budgets: readonly PodDisruptionBudget[] = []): string {
  const snapshot = snapshotOf(...nodes);
  const outcome = schedule(pod, snapshot, { plugins: defaultPlugins, random: () => 0, startAt: 0 });
  assert.equal(outcome.fits, false);
  if (outcome.fits) return '';
  const found = preempt(pod, outcome.error, snapshot, outcome.prepared, defaultPlugins, budgets);
  return found.nodeName === undefined
    ? found.message
    : `${found.nodeName}: ${found.victims.map(({ uid }) => uid).join(' ')}`;
}

const budget = (app: string): PodDisruptionBudget =>
  ({
    metadata: { name: app, namespace: 'default' },
    spec: { selector: { matchLabels: { app } } },
    status: { disruptionsAllowed: 0 },
  }) as unknown as PodDisruptionBudget;

test('preempt takes as few pods as needed, the least important', () => {
  const node = nodeOf('a')
    .withPod(of('small', '1', 1))
    .withPod(of('large', '3', 1))
    .withPod(of('tiny', '0', 0));
  assert.equal(preemptFor(of('boss', '2', 10), [node]), 'a: large');
});

test('preempt spares pods of a disruption budget', () => {
  const nodes = [nodeOf('a').withPod(of('guarded', '4', 1)), nodeOf('b').withPod(of('free', '4', 2))];
  assert.equal(preemptFor(of('boss', '2', 10), nodes), 'a: guarded');
  assert.equal(preemptFor(of('boss', '2', 10), nodes, [budget('guarded')]), 'b: free');
});

test('preempt never ends pods of the same priority', () => {
  const message = preemptFor(of('boss', '2', 1), [nodeOf('a').withPod(of('equal', '4', 1)), nodeOf('b', { cpu: '1' })]);
  assert.equal(
    message,
    'preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, ' +
      '1 Preemption is not helpful for scheduling.',
  );
});

test('preempt respects preemptionPolicy Never', () => {
  const pod = podOf('meek', {
    priority: 10,
    preemptionPolicy: 'Never',
    containers: [{ name: 'c', resources: { requests: { cpu: '4' } } }],
  });
  const message = preemptFor(pod, [nodeOf('a').withPod(of('x', '4', 1))]);
  assert.equal(message, 'preemption: not eligible due to preemptionPolicy=Never.');
});
