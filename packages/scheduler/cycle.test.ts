import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schedule } from './cycle.ts';
import { fitMessage } from './fit-error.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import { defaultPlugins } from './plugins/index.ts';
import { nodeOf, podOf, snapshotOf } from './testing/objects.ts';

/** The node's name, or why there is none. */
function outcome(pod: PodInfo, ...nodes: NodeInfo[]): string {
  const found = schedule(pod, snapshotOf(...nodes), { plugins: defaultPlugins, random: () => 0, startAt: 0 });
  return found.fits ? found.nodeName : fitMessage(found.error);
}

const zone = (name: string) => ({ 'topology.kubernetes.io/zone': name });
const green = { matchLabels: { color: 'green' } };
const anti = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: green, topologyKey: 'kubernetes.io/hostname' }],
  },
};
const near = {
  podAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: green, topologyKey: 'topology.kubernetes.io/zone' },
    ],
  },
};
const spread = [
  { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: green },
];
const hostPort = { containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80 }] }] };
const greenPod = (name: string, spec = {}) => podOf(name, spec, { color: 'green' });

const cases: readonly [name: string, pod: PodInfo, nodes: readonly NodeInfo[], expected: string][] = [
  ['no nodes', podOf('p'), [], 'no nodes available to schedule pods'],
  ['the emptier node', podOf('p'), [nodeOf('a').withPod(podOf('x')), nodeOf('b')], 'b'],
  [
    'each node says why',
    podOf('p', { containers: [{ name: 'c', resources: { requests: { cpu: '3' } } }] }),
    [nodeOf('a', { cpu: '2' }), nodeOf('b', { spec: { unschedulable: true } }), nodeOf('c', { cpu: '1' })],
    '0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.',
  ],
  [
    'taints',
    podOf('p'),
    [nodeOf('a', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } })],
    '0/1 nodes are available: 1 node(s) had untolerated taint(s).',
  ],
  [
    'a toleration',
    podOf('p', { tolerations: [{ key: 'k', operator: 'Exists' }] }),
    [nodeOf('a', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } })],
    'a',
  ],
  [
    'a node selector',
    podOf('p', { nodeSelector: { disk: 'ssd' } }),
    [nodeOf('a'), nodeOf('b', { labels: { disk: 'ssd' } })],
    'b',
  ],
  [
    'a host port in use',
    podOf('p', hostPort),
    [nodeOf('a').withPod(podOf('x', hostPort))],
    "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
  ],
  ['anti-affinity, both ways', podOf('p', { affinity: anti }), [nodeOf('a').withPod(greenPod('x')), nodeOf('b')], 'b'],
  [
    'anti-affinity of those that are there',
    greenPod('p'),
    [nodeOf('a').withPod(podOf('x', { affinity: anti }))],
    "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.",
  ],
  [
    'affinity by zone',
    podOf('p', { affinity: near }),
    [
      nodeOf('a', { labels: zone('1') }),
      nodeOf('b', { labels: zone('2') }).withPod(greenPod('x')),
      nodeOf('c', { labels: zone('2') }),
    ],
    'c',
  ],
  ['affinity to itself', greenPod('p', { affinity: near }), [nodeOf('a'), nodeOf('b', { labels: zone('1') })], 'b'],
  [
    'topology spread',
    greenPod('p', { topologySpreadConstraints: spread }),
    [nodeOf('a', { labels: zone('1') }).withPod(greenPod('x')), nodeOf('b', { labels: zone('2') })],
    'b',
  ],
  [
    'topology spread that cannot be kept',
    greenPod('p', { topologySpreadConstraints: spread }),
    [
      nodeOf('a', { labels: zone('1') }).withPod(greenPod('x')),
      nodeOf('b', { labels: zone('2'), cpu: '0' }),
      nodeOf('c'),
    ],
    "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match pod topology spread constraints, " +
      "1 node(s) didn't match pod topology spread constraints (missing required label).",
  ],
];

for (const [name, pod, nodes, expected] of cases) {
  test(`schedule: ${name}`, () => assert.equal(outcome(pod, ...nodes), expected));
}
