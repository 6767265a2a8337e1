import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, Pod, Service } from '@kubernode/api/core/v1';
import { containerEnvironment, type EnvironmentSources } from './environment.ts';
import { testMeta } from '../testing/objects.ts';
import { expand } from './expand.ts';
import { fieldValue } from './field-ref.ts';
import { resourceValue } from './resource-ref.ts';
import { serviceEnvironment } from './service-env.ts';

const variables: Record<string, string> = { VAR: 'value', EMPTY: '' };
const expansions: [string, string][] = [
  ['plain', 'plain'],
  ['$(VAR)', 'value'],
  ['a-$(VAR)-b', 'a-value-b'],
  ['$$(VAR)', '$(VAR)'],
  ['$$$(VAR)', '$value'],
  ['$(MISSING)', '$(MISSING)'],
  ['$(EMPTY)', ''],
  ['$(VAR', '$(VAR'],
  ['$VAR $', '$VAR $'],
];
for (const [input, expected] of expansions) {
  test(`expand: ${input}`, () =>
    assert.equal(
      expand(input, (name) => variables[name]),
      expected,
    ));
}

const container: Container = { name: 'c', resources: { limits: { cpu: '1500m' }, requests: { memory: '64Mi' } } };
const pod: Pod = {
  metadata: testMeta({ namespace: 'shop', uid: 'u1', labels: { b: '2', a: '1"' }, annotations: { 'x/y': 'z' } }),
  spec: { containers: [container], nodeName: 'n1', serviceAccountName: 'sa' },
  status: {},
};
const sources: EnvironmentSources = {
  podIps: ['10.0.0.2', 'fd00::2'],
  hostIps: ['192.168.0.1'],
  services: [],
  allocatable: { cpu: '4', memory: '8Gi' },
  configMap: (name) =>
    name === 'config' ? { metadata: testMeta(), data: { key: 'from-config', 'a=b': 'x' } } : undefined,
  secret: (name) => (name === 'secret' ? { metadata: testMeta(), data: { key: 'c2VjcmV0' } } : undefined),
};

const fields: [string, string][] = [
  ['metadata.name', 'web'],
  ['metadata.labels', 'a="1\\""\nb="2"'],
  ["metadata.annotations['x/y']", 'z'],
  ["metadata.labels['absent']", ''],
  ['status.podIPs', '10.0.0.2,fd00::2'],
  ['status.hostIP', '192.168.0.1'],
  ['spec.serviceAccountName', 'sa'],
];
for (const [path, expected] of fields) {
  test(`fieldValue: ${path}`, () => assert.equal(fieldValue(pod, path, sources), expected));
}

const resources: [string, string | undefined, string][] = [
  ['limits.cpu', undefined, '2'],
  ['limits.cpu', '1m', '1500'],
  ['limits.memory', '1Mi', '8192'],
  ['requests.memory', undefined, '67108864'],
  ['requests.cpu', undefined, '0'],
];
for (const [resource, divisor, expected] of resources) {
  test(`resourceValue: ${resource} / ${divisor}`, () =>
    assert.equal(resourceValue(pod, container, { resource, divisor }, sources.allocatable), expected));
}

test('serviceEnvironment: own namespace with links, and always the API server', () => {
  const service = (namespace: string, name: string, clusterIP: string): Service => ({
    metadata: testMeta({ name, namespace }),
    spec: { clusterIP, ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
    status: { loadBalancer: {} },
  });
  const services = [
    service('shop', 'my-db', '10.96.0.9'),
    service('shop', 'headless', 'None'),
    service('other', 'x', '10.96.0.8'),
    service('default', 'kubernetes', '10.96.0.1'),
  ];
  assert.deepEqual([...serviceEnvironment(services, 'shop', false).keys()].slice(0, 2), [
    'KUBERNETES_SERVICE_HOST',
    'KUBERNETES_SERVICE_PORT',
  ]);
  const env = Object.fromEntries(serviceEnvironment(services, 'shop', true));
  assert.equal(env['MY_DB_PORT_80_TCP'], 'tcp://10.96.0.9:80');
  assert.equal(env['MY_DB_SERVICE_PORT_HTTP'], '80');
  assert.equal(env['X_SERVICE_HOST'], undefined);
});

test('containerEnvironment: later sources win and references see earlier ones', () => {
  const { env, skipped } = containerEnvironment(
    pod,
    {
      ...container,
      envFrom: [{ prefix: 'P_', configMapRef: { name: 'config' } }, { secretRef: { name: 'gone', optional: true } }],
      env: [
        { name: 'A', value: '1$(P_key)' },
        { name: 'B', value: '$(A)$(C)' },
        { name: 'C', valueFrom: { secretKeyRef: { name: 'secret', key: 'key' } } },
        { name: 'D', valueFrom: { configMapKeyRef: { name: 'config', key: 'absent', optional: true } } },
        { name: 'E', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
      ],
    },
    sources,
  );
  assert.deepEqual(Object.fromEntries(env), {
    P_key: 'from-config',
    A: '1from-config',
    B: '1from-config$(C)',
    C: 'secret',
    E: 'u1',
  });
  assert.deepEqual(skipped, ['a=b']);
});

test('containerEnvironment: says what is missing', () => {
  const build = (env: Container['env']) => () => containerEnvironment(pod, { ...container, env }, sources);
  assert.throws(build([{ name: 'A', valueFrom: { secretKeyRef: { name: 'gone', key: 'k' } } }]), {
    message: 'secret "gone" not found',
  });
  assert.throws(build([{ name: 'A', valueFrom: { configMapKeyRef: { name: 'config', key: 'k' } } }]), {
    message: "couldn't find key k in ConfigMap shop/config",
  });
});
