import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@kubernode/api';
import { userNamed } from '../authentication/groups.ts';
import { MemoryState } from '../memory-state.ts';
import type { Attributes } from '../seams.ts';
import { checkNodeTokenAudience } from './node-token-audience.ts';

test('checkNodeTokenAudience lets a kubelet ask for what its pod names', async () => {
  const state = new MemoryState();
  state.put('', 'pods', {
    metadata: { name: 'p', namespace: 'a' },
    spec: {
      containers: [],
      volumes: [
        { name: 't', projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'vault' } }] } },
        { name: 'c', csi: { driver: 'd' } },
      ],
    },
  });
  state.put('storage.k8s.io', 'csidrivers', {
    metadata: { name: 'd' },
    spec: { tokenRequests: [{ audience: 'sts' }] },
  });
  const asked: Attributes[] = [];
  const ask = (audiences: string[], user = 'system:node:n') =>
    checkNodeTokenAudience(
      {
        user: userNamed(user),
        attributes: {
          verb: 'create',
          group: '',
          version: 'v1',
          resource: 'serviceaccounts',
          subresource: 'token',
          namespace: 'a',
          name: 'sa',
          path: '',
        },
        object: { spec: { audiences, boundObjectRef: { name: 'p' } } } as unknown as KubernetesObject,
      },
      state,
      (_, attributes) => {
        asked.push(attributes);
        return attributes.resource === 'granted' ? { allowed: true } : { allowed: false, reason: '' };
      },
    );
  for (const audience of ['vault', 'sts', 'granted']) await ask([audience]);
  assert.deepEqual(
    asked.map(({ verb, resource, namespace, name }) => [verb, resource, namespace, name]),
    [['request-serviceaccounts-token-audience', 'granted', 'a', 'sa']],
  );
  await ask(['other'], 'alice');
  await assert.rejects(ask(['a', 'b']), /serviceaccounts "sa" is forbidden: node may only request 0 or 1 audiences/);
  await assert.rejects(ask(['other']), /system:node:n is not authorized to request tokens for audience "other"/);
  state.remove('storage.k8s.io', 'csidrivers', 'd', '');
  await assert.rejects(ask(['other']), /error validating audience "other": csidriver.storage.k8s.io "d" not found/);
});
