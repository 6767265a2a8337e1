import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plain } from '../json-value.ts';
import { applyOverLastApplied } from './last-applied.ts';
import { ownersOfParent, ownersOfScale } from './scale-owners.ts';

const any = { type: 'any' } as const;
const note = 'kubectl.kubernetes.io/last-applied-configuration';
const byClient = [
  {
    manager: 'kubectl-client-side-apply',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } },
  },
];

function apply(manager: string, lastApplied: Plain, data: Plain) {
  const annotations = { [note]: JSON.stringify(lastApplied) };
  const live = { metadata: { name: 'c', annotations, managedFields: byClient }, data: { a: '1', b: '2' } };
  const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data };
  const options = { live, applied, shape: any, manager, apiVersion: 'v1', nowTime: '2026-01-01T00:00:00Z' };
  const { object, conflicts } = applyOverLastApplied(options);
  const { annotations: after } = object['metadata'] as { annotations: Record<string, string> };
  return { conflicts: conflicts.map(({ field }) => field), note: after[note], data: object['data'] };
}

test('applyOverLastApplied lets kubectl take over what it applied by the client', () => {
  const { conflicts, note: text, data } = apply('kubectl', { data: { a: '1' } }, { a: '9' });
  assert.deepEqual(conflicts, []);
  assert.deepEqual(data, { a: '9', b: '2' });
  assert.equal(text, '{"apiVersion":"v1","data":{"a":"9"},"kind":"ConfigMap","metadata":{"name":"c"}}\n');
});

test('applyOverLastApplied keeps conflicts over what the annotation does not say, or says otherwise', () => {
  assert.deepEqual(apply('kubectl', { data: { a: '1' } }, { b: '9' }).conflicts, ['.data.b']);
  assert.deepEqual(apply('kubectl', { data: { a: 'other' } }, { a: '9' }).conflicts, ['.data.a']);
  assert.deepEqual(apply('somebody', { data: { a: '1' } }, { a: '9' }).conflicts, ['.data.a']);
});

test('ownersOfParent gives the replicas to who took them through the Scale', () => {
  const replicas = { 'f:spec': { 'f:replicas': {} } };
  const entry = (manager: string, apiVersion: string, fieldsV1: object, subresource?: string) => ({
    manager,
    operation: 'Update',
    apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsV1 as typeof replicas,
    ...(subresource ? { subresource } : {}),
  });
  const owners = {
    entries: [entry('a', 'apps/v1', { 'f:spec': { 'f:replicas': {}, 'f:paused': {} } })],
    replicasPath: 'spec.replicas',
  };
  assert.deepEqual(ownersOfScale(owners), [entry('a', 'autoscaling/v1', replicas)]);
  const after = ownersOfParent(owners, [entry('b', 'autoscaling/v1', replicas, 'scale')], 'apps/v1');
  assert.deepEqual(after, [
    entry('a', 'apps/v1', { 'f:spec': { 'f:paused': {} } }),
    entry('b', 'apps/v1', replicas, 'scale'),
  ]);
});
