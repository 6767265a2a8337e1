import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DaemonSet } from '@kubernode/api/apps/v1';
import type { Node } from '@kubernode/api/core/v1';
import { nowMs, podOf, type PodSketch } from '../testing/objects.ts';
import { managePods, updatePods, type Changes } from './decide.ts';
import { tolerationsOf } from './pods.ts';

function setOf(rollingUpdate: object = {}, template: object = {}): DaemonSet {
  return {
    metadata: { name: 'agent', namespace: 'default', uid: 'u' },
    spec: { template: { metadata: {}, spec: template }, updateStrategy: { type: 'RollingUpdate', rollingUpdate } },
    status: {},
  } as unknown as DaemonSet;
}

type Taints = NonNullable<Node['spec']['taints']>;

const nodeOf = (name: string, labels: Record<string, string> = {}, taints: Taints = []): Node =>
  ({ metadata: { name, labels }, spec: { taints }, status: {} }) as unknown as Node;

const told = ({ create, remove }: Changes) =>
  [...create.map((name) => `+${name}`), ...remove.map(({ metadata }) => `-${metadata.name}`)].join(' ');

const fresh = { labels: { 'controller-revision-hash': 'new' } };
const old = { labels: { 'controller-revision-hash': 'old' } };

function situation(set: DaemonSet, nodes: readonly Node[], pods: Record<string, PodSketch>) {
  const list = Object.entries(pods).map(([name, sketch]) => podOf(name, sketch));
  return { set, nodes, pods: list, hash: 'new', nowMs };
}

const two = [nodeOf('n1'), nodeOf('n2')];
const tainted = nodeOf('n2', {}, [{ key: 'dedicated', effect: 'NoSchedule' }]);
const evicting = nodeOf('n2', {}, [{ key: 'dedicated', effect: 'NoExecute' }]);
const down = nodeOf('n2', {}, [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }]);
const picky = setOf({}, { nodeSelector: { role: 'a' } });

const managed: readonly [
  what: string,
  set: DaemonSet,
  nodes: readonly Node[],
  pods: Record<string, PodSketch>,
  told: string,
][] = [
  ['gives each node a pod', setOf(), two, {}, '+n1 +n2'],
  ['leaves what is there', setOf(), two, { a: { node: 'n1' } }, '+n2'],
  ['ends what is too much', setOf(), [nodeOf('n1')], { a: { ageSeconds: 9 }, b: { ageSeconds: 5 } }, '-b'],
  ['waits for one that goes', setOf(), [nodeOf('n1')], { a: { deleted: true } }, ''],
  ['replaces one that failed', setOf(), [nodeOf('n1')], { a: { phase: 'Failed' } }, '-a'],
  ['keeps to nodeSelector', picky, [nodeOf('n1', { role: 'a' }), nodeOf('n2')], { b: { node: 'n2' } }, '+n1 -b'],
  ['shuns a taint', setOf(), [tainted], {}, ''],
  ['leaves a pod beside a taint that only forbids new ones', setOf(), [tainted], { a: { node: 'n2' } }, ''],
  ['ends a pod where a taint says so', setOf(), [evicting], { a: { node: 'n2' } }, '-a'],
  ['stays on nodes that are down', setOf(), [down], {}, '+n2'],
];

for (const [what, set, nodes, pods, expected] of managed) {
  test(`managePods ${what}`, () => assert.equal(told(managePods(situation(set, nodes, pods))), expected));
}

const three = [...two, nodeOf('n3')];
const allOld = { a: { ...old, node: 'n1' }, b: { ...old, node: 'n2' }, c: { ...old, node: 'n3' } };
const surge = { maxSurge: 1, maxUnavailable: 0 };

const updates: readonly [what: string, limits: object, pods: Record<string, PodSketch>, told: string][] = [
  ['replaces one at a time', {}, allOld, '-a'],
  ['replaces as many as may miss', { maxUnavailable: 2 }, allOld, '-a -b'],
  ['takes a share of the nodes', { maxUnavailable: '50%' }, allOld, '-a -b'],
  ['waits for the new one', {}, { ...allOld, a: { ...fresh, node: 'n1', ready: false } }, ''],
  ['does not wait for an old one that is not ready', {}, { ...allOld, b: { ...old, node: 'n2', ready: false } }, '-b'],
  ['makes new ones first', surge, allOld, '+n1'],
  ['waits for the first of them', surge, { ...allOld, x: { ...fresh, node: 'n1', ready: false } }, ''],
  ['ends the old one then', surge, { ...allOld, x: { ...fresh, node: 'n1' } }, '+n2 -a'],
];

for (const [what, limits, pods, expected] of updates) {
  test(`updatePods ${what}`, () => assert.equal(told(updatePods(situation(setOf(limits), three, pods))), expected));
}

test('tolerationsOf adds what all daemons tolerate, once', () => {
  const once = tolerationsOf({ containers: [], hostNetwork: true });
  assert.equal(once.length, 7);
  assert.deepEqual(tolerationsOf({ containers: [], hostNetwork: true, tolerations: once }), once);
});
