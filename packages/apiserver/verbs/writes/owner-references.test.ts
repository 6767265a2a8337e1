import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceCall } from '../../context.ts';
import type { ApiObject } from '../../storage/encoding.ts';
import { dropSameOwners } from './owner-references.ts';

const owner = (uid: string, name = 'a') => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid });
const withOwners = (...ownerReferences: object[]) =>
  ({ metadata: { name: 'x', ownerReferences } }) as unknown as ApiObject;

test('dropSameOwners keeps the first of the same references, and warns', () => {
  const call = { warnings: [] as string[], request: { method: 'POST' } } as unknown as ResourceCall;
  const object = withOwners(owner('1'), owner('2'), owner('1'));
  dropSameOwners(call, object);
  assert.deepEqual(object.metadata.ownerReferences, [owner('1'), owner('2')]);
  assert.match(call.warnings.join(), /^\.metadata\.ownerReferences contains .*duplicate UID\(s\) observed: 1$/);
});

test('dropSameOwners leaves references alone that differ', () => {
  const call = { warnings: [] as string[], request: { method: 'POST' } } as unknown as ResourceCall;
  const object = withOwners(owner('1'), owner('1', 'b'));
  dropSameOwners(call, object);
  assert.equal(object.metadata.ownerReferences?.length, 2);
  assert.deepEqual(call.warnings, []);
});

test('dropSameOwners waits for admission where a patch is made', () => {
  const call = { warnings: [] as string[], request: { method: 'PATCH' } } as unknown as ResourceCall;
  const object = withOwners(owner('1'), owner('1'));
  dropSameOwners(call, object);
  assert.equal(object.metadata.ownerReferences?.length, 2);
  dropSameOwners(call, object, true);
  assert.equal(object.metadata.ownerReferences?.length, 1);
  assert.match(call.warnings.join(), /after mutating admission happens/);
});
