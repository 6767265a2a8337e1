import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Service } from '@kubernode/api/core/v1';
import type { EndpointSlice } from '@kubernode/api/discovery/v1';
import { difference } from './script.ts';
import { servicePorts } from './service-ports.ts';
import { tableState } from './table.ts';

const service = (spec: Partial<Service['spec']> = {}): Service =>
  ({
    metadata: { name: 'web', namespace: 'default' },
    spec: { clusterIP: '10.96.0.20', clusterIPs: ['10.96.0.20'], ports: [{ port: 80, protocol: 'TCP' }], ...spec },
    status: { loadBalancer: {} },
  }) as unknown as Service;

const slice = (...endpoints: { ip: string; node?: string; ready?: boolean; terminating?: boolean }[]): EndpointSlice =>
  ({
    metadata: { name: 'web-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ port: 8080, protocol: 'TCP' }],
    endpoints: endpoints.map(({ ip, node = 'n1', ready = true, terminating = false }) => ({
      addresses: [ip],
      nodeName: node,
      conditions: { ready, serving: true, terminating },
    })),
  }) as unknown as EndpointSlice;

const none = tableState([]);
const scriptOf = (...args: Parameters<typeof servicePorts>) => difference('t', none, tableState(servicePorts(...args)));

test('servicePorts takes ready endpoints, and ending ones only where no other is left', () => {
  const addresses = (endpoints: EndpointSlice) =>
    servicePorts(service(), [endpoints], 'n1')[0]?.internal.map(({ address }) => address);
  assert.deepEqual(addresses(slice({ ip: '10.0.0.2' }, { ip: '10.0.0.3', ready: false })), ['10.0.0.2']);
  assert.deepEqual(addresses(slice({ ip: '10.0.0.2' }, { ip: '10.0.0.3', ready: false, terminating: true })), [
    '10.0.0.2',
  ]);
  assert.deepEqual(addresses(slice({ ip: '10.0.0.3', ready: false, terminating: true })), ['10.0.0.3']);
});

test('servicePorts has nothing for headless and ExternalName Services', () => {
  assert.deepEqual(servicePorts(service({ clusterIP: 'None', clusterIPs: ['None'] }), [], 'n1'), []);
  assert.deepEqual(servicePorts(service({ type: 'ExternalName', clusterIPs: [] }), [], 'n1'), []);
});

test('tableState spreads over backends in one rule', () => {
  const script = scriptOf(service(), [slice({ ip: '10.0.0.2' }, { ip: '10.0.0.3' })], 'n1');
  assert.match(script, /numgen random mod 2 map \{ 0 : 10\.0\.0\.2 \. 8080, 1 : 10\.0\.0\.3 \. 8080 \}/);
  assert.match(script, /add element ip t service-ips \{ 10\.96\.0\.20 \. tcp \. 80 : goto svc-/);
});

test('tableState leaves a Service without backends to the rule that rejects', () => {
  assert.equal(scriptOf(service(), [], 'n1'), '');
});

test('tableState drops where a Local policy finds no local backend', () => {
  const remote = slice({ ip: '10.0.0.2', node: 'n2' });
  assert.match(scriptOf(service({ internalTrafficPolicy: 'Local' }), [remote], 'n1'), /\. 80 : drop/);
  const nodePort = service({
    externalTrafficPolicy: 'Local',
    ports: [{ port: 80, nodePort: 30080 }] as Service['spec']['ports'],
  });
  assert.match(scriptOf(nodePort, [remote], 'n1'), /node-ports \{ tcp \. 30080 : drop/);
});

test('tableState masquerades NodePorts unless the policy is Local', () => {
  const ports = [{ port: 80, nodePort: 30080 }] as Service['spec']['ports'];
  const local = slice({ ip: '10.0.0.2' });
  assert.match(scriptOf(service({ ports }), [local], 'n1'), /meta mark set meta mark or 0x4000/);
  assert.doesNotMatch(scriptOf(service({ ports, externalTrafficPolicy: 'Local' }), [local], 'n1'), /meta mark/);
});

test('tableState keeps a client with its backend under session affinity', () => {
  const script = scriptOf(
    service({ sessionAffinity: 'ClientIP' }),
    [slice({ ip: '10.0.0.2' }, { ip: '10.0.0.3' })],
    'n1',
  );
  assert.match(script, /timeout 10800s/);
  assert.equal(script.match(/ip saddr @seen-/g)?.length, 2);
});

test('difference says only what changed, and undoes all at the end', () => {
  const one = tableState(servicePorts(service(), [slice({ ip: '10.0.0.2' })], 'n1'));
  const two = tableState(servicePorts(service(), [slice({ ip: '10.0.0.2' }, { ip: '10.0.0.3' })], 'n1'));
  assert.equal(difference('t', one, one), '');
  const change = difference('t', one, two);
  assert.match(change, /flush chain/);
  assert.doesNotMatch(change, /service-ips/);
  assert.match(difference('t', two, none), /delete chain ip t svc-/);
});
