import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Draft } from '@kubernode/api';
import type { Pod } from '@kubernode/api/core/v1';
import { testNode, testPod, testService } from '../shared/testing.ts';
import { endpointsOfService, hintsFor } from './endpoints-of-service.ts';

const deletionTimestamp = '2026-01-01T00:00:00Z';
const notReady = { conditions: [{ type: 'Ready', status: 'False' }] };

const conditions: [string, Draft<Pod>, boolean, (boolean | undefined)[] | undefined][] = [
  ['a ready pod', {}, false, [true, true, false]],
  ['a pod that is not ready', { status: notReady }, false, [false, false, false]],
  ['one that is not ready, where all are published', { status: notReady }, true, [true, false, false]],
  ['a pod on its way out', { metadata: { deletionTimestamp } }, false, [false, true, true]],
  ['a pod that has ended', { status: { phase: 'Succeeded' } }, false, undefined],
  ['a pod without an address', { status: { podIP: undefined } }, false, undefined],
];

for (const [name, pod, publishNotReadyAddresses, expected] of conditions) {
  test(`endpointsOfService tells ready, serving and terminating of ${name}`, () => {
    const service = testService('web', { publishNotReadyAddresses });
    const { groups } = endpointsOfService(service, [testPod('a', pod)], 'IPv4', () => undefined);
    const found = groups[0]?.endpoints[0]?.conditions;
    assert.deepEqual(found && [found.ready, found.serving, found.terminating], expected);
  });
}

test('endpointsOfService resolves named ports on each pod', () => {
  const service = testService('web', { ports: [{ name: 'http', port: 80, targetPort: 'web' }] });
  const on = (containerPort: number) => ({
    spec: { containers: [{ name: 'c', ports: [{ name: 'web', containerPort, protocol: 'TCP' as const }] }] },
  });
  const pods = [testPod('a', on(8080)), testPod('b', on(9090)), testPod('c', on(8080))];
  const { groups } = endpointsOfService(service, pods, 'IPv4', () => undefined);
  assert.deepEqual(
    groups.map(({ ports, endpoints }) => [ports[0]?.port, endpoints.length]),
    [
      [8080, 2],
      [9090, 1],
    ],
  );
});

test('endpointsOfService names zone, node and host', () => {
  const pod = testPod('a', { spec: { nodeName: 'n', hostname: 'first', subdomain: 'web' } });
  const node = testNode('n', { metadata: { labels: { 'topology.kubernetes.io/zone': 'z' } } });
  const { groups } = endpointsOfService(testService('web'), [pod], 'IPv4', () => node);
  const { nodeName, zone, hostname } = groups[0]!.endpoints[0]!;
  assert.deepEqual({ nodeName, zone, hostname }, { nodeName: 'n', zone: 'z', hostname: 'first' });
});

test('endpointsOfService leaves out pods whose node is not known, and names them', () => {
  const pod = testPod('a', { spec: { nodeName: 'n' } });
  const { groups, podsWithoutNode } = endpointsOfService(testService('web'), [pod], 'IPv4', () => undefined);
  assert.deepEqual([groups, podsWithoutNode], [[], ['a']]);
});

test('hintsFor follows trafficDistribution', () => {
  const endpoint = { nodeName: 'n', zone: 'z' };
  assert.deepEqual(hintsFor(endpoint, 'PreferClose'), { forZones: [{ name: 'z' }] });
  assert.deepEqual(hintsFor(endpoint, 'PreferSameNode'), { forNodes: [{ name: 'n' }], forZones: [{ name: 'z' }] });
  assert.equal(hintsFor(endpoint, undefined), undefined);
});
