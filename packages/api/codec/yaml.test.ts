import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecodeError } from './decode-error.ts';
import { decodeYaml } from './yaml.ts';

const scalars: readonly (readonly [yaml: string, value: unknown])[] = [
  ['y', true],
  ['Yes', true],
  ['on', true],
  ['NO', false],
  ['"yes"', 'yes'],
  ['~', null],
  ['', null],
  ['1:30', '1:30'],
  ['0777', 511],
  ['0x1F', 31],
  ['1_000', 1000],
  ['-7', -7],
  ['1.5', 1.5],
  ['1e3', 1000],
  ['100m', '100m'],
  ['2026-01-01', '2026-01-01'],
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
  ['!!binary aGk=', 'hi'],
  ['!!str 1', '1'],
];

for (const [yaml, value] of scalars) {
  test(`decodeYaml reads ${yaml || 'nothing'} as ${JSON.stringify(value)}`, () => {
    assert.deepEqual(decodeYaml(`a: ${yaml}`).value, { a: value });
  });
}

test('decodeYaml makes keys strings', () => {
  assert.deepEqual(decodeYaml('yes: 1\n80: 2\n1.5: 3').value, { true: 1, 80: 2, 1.5: 3 });
});

test('decodeYaml ignores all documents but the first, even broken ones', () => {
  assert.deepEqual(decodeYaml('a: 1\n---\nb: 2').value, { a: 1 });
});

test('decodeYaml keeps a key __proto__ a key', () => {
  const { value } = decodeYaml('__proto__: {polluted: true}');
  assert.deepEqual(Object.keys(value as object), ['__proto__']);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});

test('decodeYaml reports repeated keys and takes the last', () => {
  const decoded = decodeYaml('a: 1\nb: 2\na: 3');
  const strictErrors = ['line 3: key "a" already set in map'];
  assert.deepEqual(decoded, { value: { a: 3, b: 2 }, strictErrors });
});

test('decodeYaml expands aliases and merge keys into a tree', () => {
  const { value } = decodeYaml('base: &b {x: 1}\none: *b\ntwo: {<<: *b, z: 2}');
  assert.deepEqual(value, { base: { x: 1 }, one: { x: 1 }, two: { x: 1, z: 2 } });
  const { base, one } = value as { base: object; one: object };
  assert.notEqual(base, one);
});

const nine = (item: string) => Array.from({ length: 9 }, () => item).join(', ');
const bomb = Array.from({ length: 12 }, (_, i) => `a${i}: &a${i} [${nine(i ? `*a${i - 1}` : 'x')}]`).join('\n');

const refused: readonly (readonly [what: string, yaml: string, message: RegExp])[] = [
  ['a broken document', 'a: b: c', /^yaml: line 1: /],
  ['a bomb of aliases', bomb, /excessive aliasing/],
  ['an anchor in itself', 'a: &a [*a]', /yaml: /],
  ['too deep a document', '['.repeat(5000), /yaml: /],
  ['too large a document', 'a'.repeat(3 * 1024 * 1024 + 1), /larger than/],
];

for (const [what, yaml, message] of refused) {
  test(`decodeYaml refuses ${what}`, () => {
    assert.throws(
      () => decodeYaml(yaml),
      (error) => error instanceof DecodeError && message.test(error.message),
    );
  });
}
