import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterRole } from '@kubernode/api/rbac/v1';
import { testObject } from '../shared/testing.ts';
import { aggregatedRules } from './cluster-role-aggregation.ts';

const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });
const role = (name: string, label: string, resources: readonly string[]): ClusterRole =>
  testObject<ClusterRole>({ metadata: { name, labels: { [label]: 'y' } }, rules: resources.map(rule) });

test('aggregatedRules has each rule once, selector by selector', () => {
  const clusterRoleSelectors = [{ matchLabels: { a: 'y' } }, { matchLabels: { b: 'y' } }];
  const sum = testObject<ClusterRole>({ metadata: { name: 'sum' }, aggregationRule: { clusterRoleSelectors } });
  const roles = [role('z', 'b', ['b', 'shared']), role('y', 'a', ['a', 'shared']), role('x', 'a', ['first'])];
  assert.deepEqual(
    aggregatedRules(sum, roles).map(({ resources }) => resources?.[0]),
    ['first', 'a', 'shared', 'b'],
  );
});
