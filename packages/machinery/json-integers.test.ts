import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exactInteger, hasLongDigits, isInt64, parseJsonExactly, shortestInteger } from './json-integers.ts';
import { withSortedKeys } from './json-value.ts';

const texts: readonly (readonly [text: string, value: unknown])[] = [
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', 9007199254740992n],
  ['-9007199254740993', -9007199254740993n],
  ['[9223372036854775807, -9223372036854775808]', [9223372036854775807n, -9223372036854775808n]],
  ['[9223372036854775808]', [2 ** 63]],
  ['{"a":9007199254740993.0,"b":9007199254740993e0}', { a: 2 ** 53, b: 2 ** 53 }],
  ['{"9007199254740993":"9007199254740993"}', { '9007199254740993': '9007199254740993' }],
  ['{"a" :\n9007199254740993\n}', { a: 9007199254740993n }],
];

for (const [text, value] of texts) {
  test(`parseJsonExactly reads ${JSON.stringify(text)}`, () => assert.deepEqual(parseJsonExactly(text), value));
}

test('parseJsonExactly reads what JSON.stringify prints, wherever the integers are', () => {
  const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(shortestInteger);
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, integer, fc.string(), fc.boolean(), tie('list'), tie('map')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    map: fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 4, noNullPrototype: true },
    ),
  }));
  fc.assert(
    fc.property(value, fc.constantFrom(0, 2), (written, indent) => {
      assert.deepEqual(parseJsonExactly(JSON.stringify(written, null, indent)), written);
    }),
  );
});

test('hasLongDigits finds a number of sixteen digits at every place, and none in a checksum', () => {
  for (let length = 0; length < 64; length++) {
    assert.ok(hasLongDigits(`{"${'a'.repeat(length)}":1234567890123456}`), String(length));
    assert.ok(!hasLongDigits(`{"${'a'.repeat(length)}":123456789012345}`), String(length));
  }
  assert.ok(!hasLongDigits('{"image":"a@sha256:12345678901234567890abcdefabcdef12345678901234567890"}'));
});

test('JSON.stringify prints bigints as they are, sorted and indented, too', () => {
  const value = { b: [9007199254740993n], a: -9223372036854775808n };
  assert.equal(JSON.stringify(withSortedKeys(value)), '{"a":-9223372036854775808,"b":[9007199254740993]}');
  assert.equal(JSON.stringify(value, null, 1), '{\n "b": [\n  9007199254740993\n ],\n "a": -9223372036854775808\n}');
});

test('exactInteger and isInt64 agree on where numbers end', () => {
  assert.deepEqual(['-9007199254740991', '9007199254740992'].map(exactInteger), [-(2 ** 53 - 1), 2n ** 53n]);
  assert.deepEqual([2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), -(2n ** 63n) - 1n].map(isInt64), [
    true,
    false,
    true,
    false,
  ]);
});

test('hasLongDigits looks at each digit of a long text of them once', () => {
  // Looked at once for every sixteen, it would not end within the time limit of a test.
  assert.equal(hasLongDigits(`{"a":"${'1'.repeat(3_000_000)}"}`), false);
  assert.equal(hasLongDigits(`{"a":"${'1'.repeat(100)}","b":9007199254740993}`), true);
});

test('parseJsonExactly makes no bigint of more digits than 64 bits have', (t) => {
  const made = t.mock.method(globalThis, 'BigInt');
  assert.deepEqual(parseJsonExactly(`[${'9'.repeat(100_000)}, 9007199254740993]`), [Infinity, 9007199254740993n]);
  assert.equal(made.mock.callCount(), 1);
});
