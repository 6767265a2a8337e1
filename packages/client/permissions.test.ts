import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplicaSet } from '@kubernode/api/apps/v1';
import { Node, Pod } from '@kubernode/api/core/v1';
import { controller, owned, status } from './controller.ts';
import { permissionsOf } from './permissions.ts';

test('permissionsOf makes RBAC rules of a declaration', () => {
  const declaration = controller({
    name: 'replicaset-controller',
    reconciles: ReplicaSet,
    watches: [owned(Pod)],
    reads: [Node],
    writes: [Pod, status(ReplicaSet)],
    async reconcile() {},
  });
  assert.deepEqual(permissionsOf(declaration), [
    { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['get', 'list', 'watch'] },
    {
      apiGroups: [''],
      resources: ['pods'],
      verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
    },
    { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['apps'], resources: ['replicasets/status'], verbs: ['create', 'update', 'patch'] },
  ]);
});
