import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionsOf } from './conditions.ts';

const nowMs = Date.parse('2026-01-01T00:00:00Z');
const nothing = { undiscovered: [], failures: [], objects: new Map(), finalizers: new Map() };

test('conditionsOf tells that all went well', () => {
  const conditions = conditionsOf(nothing, [], nowMs)!;
  assert.deepEqual(
    conditions.map(({ status, reason }) => `${reason}=${status}`),
    [
      'ResourcesDiscovered=False',
      'ParsedGroupVersions=False',
      'ContentDeleted=False',
      'ContentRemoved=False',
      'ContentHasNoFinalizers=False',
    ],
  );
  assert.equal(conditionsOf(nothing, conditions, nowMs + 1_000), undefined);
});

test('conditionsOf names what remains', () => {
  const objects = new Map([['configmaps.', 1]]);
  const finalizers = new Map([['example.com/hold', 1]]);
  const messages = conditionsOf({ ...nothing, objects, finalizers }, [], nowMs)!.map(({ message }) => message);
  assert.ok(messages.includes('Some resources are remaining: configmaps. has 1 resource instances'));
  assert.ok(
    messages.includes(
      'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    ),
  );
});

test('conditionsOf keeps the time of a condition whose status stays', () => {
  const first = conditionsOf({ ...nothing, objects: new Map([['pods.', 2]]) }, [], nowMs)!;
  const second = conditionsOf({ ...nothing, objects: new Map([['pods.', 1]]) }, first, nowMs + 5_000)!;
  const time = second.find(({ type }) => type === 'NamespaceContentRemaining')?.lastTransitionTime;
  assert.equal(time, '2026-01-01T00:00:00Z');
});
