import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceQuota } from '@kubernode/api/core/v1';
import { testObject, testPod, testService } from '../shared/testing.ts';
import { countedResource, usedOf } from './usage.ts';

const names: [string, string, string][] = [
  ['pods', '', 'pods'],
  ['requests.cpu', '', 'pods'],
  ['services.nodeports', '', 'services'],
  ['requests.storage', '', 'persistentvolumeclaims'],
  ['gold.storageclass.storage.k8s.io/requests.storage', '', 'persistentvolumeclaims'],
  ['count/deployments.apps', 'apps', 'deployments'],
  ['count/configmaps', '', 'configmaps'],
  ['secrets', '', 'secrets'],
];
for (const [name, group, resource] of names)
  test(`countedResource of ${name}`, () => assert.deepEqual(countedResource(name), { group, resource }));

test('usedOf adds up what the objects use, and knows what is not used', () => {
  const hard = { pods: '5', 'requests.cpu': '2', 'services.nodeports': '1', 'count/jobs.batch': '1' };
  const quota = testObject<ResourceQuota>({ metadata: { name: 'q' }, spec: { hard } });
  const resources = { requests: { cpu: '500m' } };
  const pods = ['a', 'b'].map((name) => testPod(name, { spec: { containers: [{ name: 'c', resources }] } }));
  const services = [testService('s', { type: 'NodePort', ports: [{ port: 80 }] })];
  const used = usedOf(quota, ({ resource }) => (resource === 'pods' ? pods : resource === 'services' ? services : []));
  assert.deepEqual(used, { pods: '2', 'requests.cpu': '1', 'services.nodeports': '1', 'count/jobs.batch': '0' });
});

test('usedOf looks at the scopes', () => {
  const quota = testObject<ResourceQuota>({ spec: { hard: { pods: '1' }, scopes: ['Terminating'] } });
  const pods = [testPod('a'), testPod('b', { spec: { activeDeadlineSeconds: 5 } })];
  assert.deepEqual(
    usedOf(quota, () => pods),
    { pods: '1' },
  );
});
