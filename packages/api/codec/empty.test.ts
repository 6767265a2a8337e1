import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapeOf } from '../shapes.ts';
import { restoreEmpty } from './empty.ts';
import { decodeValue, encodeJsonText } from './json.ts';

test('restoreEmpty gives back the lists that JSON prints as null, at every depth', () => {
  const shape = shapeOf('rbac.authorization.k8s.io/v1.ClusterRoleList');
  const written = { metadata: {}, items: [{ metadata: { name: 'a' }, rules: [] }] };
  const parsed = JSON.parse(encodeJsonText(decodeValue(written, shape).object, shape)) as {
    items: { rules: unknown }[];
  };
  assert.equal(parsed.items[0]?.rules, null);
  restoreEmpty(parsed, shape);
  assert.deepEqual(parsed, written);
});

test('restoreEmpty leaves alone what may be absent', () => {
  const pod = { metadata: {}, spec: { containers: null, volumes: undefined } };
  restoreEmpty(pod, shapeOf('core/v1.Pod'));
  assert.deepEqual(pod, { metadata: {}, spec: { containers: [], volumes: undefined } });
});
