import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectMeta } from '../generated/types/meta/v1.ts';
import { validateMetadata, validateMetadataUpdate } from './metadata.ts';

const rules = { namespaced: true, group: '' };
const good = { name: 'a', namespace: 'default' } as ObjectMeta;
const found = (causes: readonly { reason: string; field: string }[]) =>
  causes.map(({ reason, field }) => `${reason.replace('FieldValue', '')} ${field}`);

const cases: readonly [what: string, change: object, expected: readonly string[]][] = [
  ['a good name', {}, []],
  ['no name', { name: '' }, ['Required metadata.name']],
  ['a bad name', { name: 'UPPER' }, ['Invalid metadata.name']],
  ['a prefix that ends in a dash', { generateName: 'x-' }, []],
  ['no namespace', { namespace: '' }, ['Required metadata.namespace']],
  ['a bad label', { labels: { 'a b': 'x' } }, ['Invalid metadata.labels']],
  ['an annotation in capitals', { annotations: { 'EXAMPLE.com/X': 'any' } }, []],
  ['a finalizer without a domain', { finalizers: ['x'] }, ['Invalid metadata.finalizers[0]']],
  ['orphan and foreground', { finalizers: ['orphan', 'foregroundDeletion'] }, ['Invalid metadata.finalizers']],
  [
    'an event that owns',
    { ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'x', uid: 'u' }] },
    ['Invalid metadata.ownerReferences[0]'],
  ],
];

for (const [what, change, expected] of cases) {
  test(`validateMetadata judges ${what}`, () => {
    assert.deepEqual(found(validateMetadata({ ...good, ...change }, rules)), expected);
  });
}

test('validateMetadata forbids a namespace where there is none', () => {
  assert.deepEqual(found(validateMetadata(good, { namespaced: false })), ['Forbidden metadata.namespace']);
});

test('validateMetadata takes plain finalizers in some groups', () => {
  assert.deepEqual(validateMetadata({ ...good, finalizers: ['x'] }, { namespaced: true, group: 'policy' }), []);
});

test('validateMetadataUpdate keeps identity and adds no finalizer to what is being deleted', () => {
  const old = { ...good, uid: 'u', deletionTimestamp: '2026-01-01T00:00:00Z' };
  const changed = { ...old, uid: 'v', finalizers: ['example.com/f'] };
  assert.deepEqual(found(validateMetadataUpdate(changed, old)), [
    'Invalid metadata.uid',
    'Forbidden metadata.finalizers',
  ]);
});
