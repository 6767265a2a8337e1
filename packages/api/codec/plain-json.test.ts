import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { plainJson } from './plain-json.ts';
import { decodeYaml } from './yaml.ts';

test('plainJson reads JSON, but where YAML may read it otherwise', () => {
  const plain = '{"image": "nginx:1.25", "n": -5,\n"list": [1, true, null, {}, "a\\u0041\\"b"], "": 0}\n';
  assert.deepEqual(plainJson(plain), JSON.parse(plain));
  const left = [
    'a: 1',
    '[1]',
    '{"a": 1.0}',
    '{"a" : 1e3}',
    '{"a": [1, 2.5]}',
    '{"a": 12345678901234567}',
    '{"a": 012}',
    '{"a": 1, "a": 2}',
    '{"<<": {"a": 1}}',
    '{"a": "é"}',
    '{\t"a": 1}',
    '{"a": 1} # said',
    '{"a": 1}\n---\n{"a": 2}',
    `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
  ];
  for (const text of left) assert.equal(plainJson(text), undefined, text.slice(0, 40));
});

test('plainJson and YAML read the same', () => {
  const key = fc.oneof(fc.string(), fc.constantFrom('yes', '0x1', '~', 'null', '__proto__', '1e3', '2001-01-01'));
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      key,
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('any'), { maxLength: 4 }),
    map: fc.dictionary(key, tie('any'), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(value.map, fc.constantFrom(undefined, 2), (object, indent) => {
      const text = JSON.stringify(object, undefined, indent);
      // A comment before it, and it is not taken for JSON.
      assert.deepEqual(decodeYaml(text), decodeYaml(`# \n${text}`));
    }),
  );
});
