import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duplicate, forbidden, invalid, notSupported, required, tooLong, tooMany } from './cause.ts';

const cases: readonly [name: string, message: string, expected: string][] = [
  ['a string', invalid('f', 'a b', 'must match').message, 'Invalid value: "a b": must match'],
  ['a number', invalid('f', -1, 'must be positive').message, 'Invalid value: -1: must be positive'],
  ['nothing', invalid('f', undefined, 'must be set').message, 'Invalid value: "null": must be set'],
  ['an object', invalid('f', { a: 'b' }, 'field is immutable').message, 'Invalid value: {"a":"b"}: field is immutable'],
  ['required', required('f').message, 'Required value'],
  ['required with a hint', required('f', 'name it').message, 'Required value: name it'],
  ['a closed set', notSupported('f', 'x', ['b', 'a']).message, 'Unsupported value: "x": supported values: "a", "b"'],
  ['a duplicate', duplicate('f', 'x').message, 'Duplicate value: "x"'],
  ['forbidden', forbidden('f', 'not here').message, 'Forbidden: not here'],
  ['too long', tooLong('f', 63).message, 'Too long: may not be more than 63 bytes'],
  ['too many', tooMany('f', 4, 3).message, 'Too many: 4: must have at most 3 items'],
];

for (const [name, message, expected] of cases) {
  test(`cause words ${name} as upstream does`, () => assert.equal(message, expected));
}
