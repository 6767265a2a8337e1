import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { absentList } from '../absent-lists.ts';
import type { Plain } from '../json-value.ts';
import { any, thing } from '../test-shapes.ts';
import { compareObjects } from './compare.ts';
import { fieldsOfNew } from './fields-of-new.ts';
import { difference } from './fields.ts';
import { strippedFields } from './ownership.ts';

const compared = (object: Plain, shape = thing) =>
  difference(compareObjects({}, object, shape).changed, strippedFields);

const pod = (name: string, container: Plain, labels: Plain = { a: 'b' }) => ({
  metadata: { name, labels },
  spec: { containers: [container] },
});

test('fieldsOfNew answers the same set for objects of the same form, whatever they say', () => {
  const first = fieldsOfNew(pod('p', { name: 'c', args: ['x'] }), thing, undefined);
  assert.equal(fieldsOfNew(pod('q', { name: 'c', args: ['y', 'z'] }, { a: 'c' }), thing, undefined), first);
  assert.deepEqual(first, compared(pod('p', { name: 'c', args: ['x'] })));
});

const others: readonly [what: string, object: Plain][] = [
  ['another key of an item', pod('p', { name: 'd', args: ['x'] })],
  ['another label', pod('p', { name: 'c', args: ['x'] }, { b: 'b' })],
  ['an empty list', pod('p', { name: 'c', args: [] })],
  ['a list that nobody set', pod('p', { name: 'c', args: absentList() })],
  ['null for a list', pod('p', { name: 'c', args: null })],
  ['an item more', { ...pod('p', {}), spec: { containers: [{ name: 'c', args: ['x'] }, { name: 'd' }] } }],
  ['a zero value', pod('p', { name: 'c', args: ['x'] }, { a: '' })],
  ['a field more', { ...pod('p', { name: 'c', args: ['x'] }), data: { k: 'v' } }],
];

for (const [what, object] of others) {
  test(`fieldsOfNew tells apart ${what}`, () => {
    fieldsOfNew(pod('p', { name: 'c', args: ['x'] }), thing, undefined);
    assert.deepEqual(fieldsOfNew(object, thing, undefined), compared(object));
    assert.deepEqual(fieldsOfNew(object, thing, undefined), compared(object));
  });
}

test('fieldsOfNew keeps apart what endpoints reset', () => {
  const object = { metadata: { name: 't' }, data: { a: '1' }, spec: { replicas: 1 } };
  const all = { 'f:data': { '.': {}, 'f:a': {} }, 'f:spec': { 'f:replicas': {} } };
  assert.deepEqual(fieldsOfNew(object, thing, undefined), all);
  assert.deepEqual(fieldsOfNew(object, thing, { 'f:spec': {} }), { 'f:data': all['f:data'] });
  assert.deepEqual(fieldsOfNew(object, thing, undefined), all);
});

const scalars = fc.constantFrom<unknown>('', '0', 'a', 0, 1, true, false, null, undefined, 5n);
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'name', 'containers', 'args'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

test('fieldsOfNew is what a comparison with nothing finds, for any objects one after the other', () => {
  const objects = fc.record({ metadata: fc.constant({ name: 'n' }), spec: values, data: values });
  for (const shape of [thing, any]) {
    fc.assert(
      fc.property(fc.array(objects, { minLength: 2, maxLength: 6 }), (list) => {
        for (const object of list)
          assert.deepEqual(fieldsOfNew(object, shape, undefined), compared(object, shape as never));
      }),
      { numRuns: 300 },
    );
  }
});
