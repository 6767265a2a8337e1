import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deepClone, deepFreeze } from '../deep.ts';
import { createMergePatch, mergePatch } from './merge-patch.ts';

test('mergePatch merges objects, removes by null and replaces the rest (RFC 7386, appendix A)', () => {
  const cases: [unknown, unknown, unknown][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];
  for (const [doc, patch, expected] of cases) assert.deepEqual(mergePatch(deepFreeze(doc), patch), expected);
});

test('mergePatch never touches a prototype', () => {
  const patched = mergePatch({}, JSON.parse('{"__proto__": {"x": 1}, "a": 1}'));
  assert.deepEqual(Object.keys(patched as object), ['__proto__', 'a']);
  assert.equal((patched as Record<string, unknown>)['x'], undefined);
});

test('createMergePatch tells keys of an object from what every object has', () => {
  assert.deepEqual(createMergePatch({ toString: 'a' }, {}), { toString: null });
  assert.deepEqual(Object.keys(createMergePatch({}, JSON.parse('{"__proto__": "x"}')) as object), ['__proto__']);
});

const withoutNulls: fc.Arbitrary<unknown> = fc
  .jsonValue()
  .map((value) => JSON.parse(JSON.stringify(value, (_, item) => (item === null ? undefined : item)) ?? '0') as unknown)
  .filter((value) => !JSON.stringify(value).includes('null'));

test('mergePatch of a createMergePatch makes the one of the other', () => {
  fc.assert(
    fc.property(withoutNulls, withoutNulls, (from, to) => {
      assert.deepEqual(deepClone(mergePatch(from, createMergePatch(from, to))), deepClone(to));
    }),
  );
  assert.deepEqual(createMergePatch({ a: 1, b: { c: 2 } }, { a: 1, b: { c: 2 } }), {});
});
