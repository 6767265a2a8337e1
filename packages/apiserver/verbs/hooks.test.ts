import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReason } from '@kubernode/api';
import type { Service } from '@kubernode/api/core/v1';
import { startSecured } from '../secured-testing.ts';

const services = '/api/v1/namespaces/default/services';
const admission = '/apis/admissionregistration.k8s.io/v1';

test('afterDelete and settling a write tell what became of a Service, though its address cannot be given back', async (t) => {
  const { server, admin, create } = await startSecured();
  t.after(() => server.stop());
  const spec = { ports: [{ port: 80 }] };
  for (const name of ['a', 'b']) await create(services, { metadata: { name }, spec });
  const rule = {
    apiGroups: ['networking.k8s.io'],
    apiVersions: ['*'],
    operations: ['DELETE'],
    resources: ['ipaddresses'],
  };
  await create(`${admission}/validatingadmissionpolicies`, {
    metadata: { name: 'kept' },
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'false' }] },
  });
  await create(`${admission}/validatingadmissionpolicybindings`, {
    metadata: { name: 'kept' },
    spec: { policyName: 'kept', validationActions: ['Deny'] },
  });
  await assert.rejects(create(services, { metadata: { name: 'a' }, spec }), (error) =>
    isReason(error, 'AlreadyExists'),
  );
  const external = { spec: { type: 'ExternalName', externalName: 'example.com', clusterIP: null, clusterIPs: null } };
  const patched = await admin.request<Service>({
    method: 'PATCH',
    path: `${services}/b`,
    body: external,
    contentType: 'application/merge-patch+json',
  });
  assert.equal(patched.spec.type, 'ExternalName');
  await admin.request({ method: 'DELETE', path: `${services}/a` });
  const read = admin.request({ method: 'GET', path: `${services}/a` });
  await assert.rejects(read, (error) => isReason(error, 'NotFound'));
});
