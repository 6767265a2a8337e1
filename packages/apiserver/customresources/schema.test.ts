import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaulted } from './defaults.ts';
import { parseJsonPath } from './json-path.ts';
import { pruned } from './prune.ts';
import type { Schema } from './schema.ts';
import { structuralCauses } from './structural.ts';
import { validatorOf } from './validate.ts';
import { compareVersions } from './version-order.ts';

const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['color'],
      'x-kubernetes-validations': [{ rule: 'self.size <= 10', message: 'too big' }],
      properties: {
        color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
        size: { type: 'integer', minimum: 0 },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
};

const object = (spec: object) => ({ apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name: 'a' }, spec });

test('pruned drops what the schema does not name, and says what', () => {
  const unknown: string[] = [];
  const given = object({ color: 'red', free: { any: 1 }, bogus: [1] });
  assert.deepEqual(pruned(given, schema, unknown), object({ color: 'red', free: { any: 1 } }));
  assert.deepEqual(unknown, ['spec.bogus']);
  const clean = object({ color: 'red' });
  assert.equal(pruned(clean, schema), clean);
});

test('defaulted fills in what misses and drops nulls', () => {
  assert.deepEqual(defaulted(object({ size: null }), schema), object({ color: 'red' }));
});

const judged: readonly (readonly [spec: object, old: object | undefined, expected: readonly string[]])[] = [
  [{ color: 'red', size: 3 }, undefined, []],
  [{ size: 3 }, undefined, ['FieldValueRequired spec.color']],
  [{ color: 'green', size: -1 }, undefined, ['FieldValueNotSupported spec.color', 'FieldValueInvalid spec.size']],
  [{ color: 'red', size: 'x' }, undefined, ['FieldValueTypeInvalid spec.size']],
  [{ color: 'red', size: 11 }, undefined, ['FieldValueInvalid spec']],
  [{ color: 'green', size: 4 }, { color: 'green', size: 3 }, []],
];

for (const [spec, old, expected] of judged) {
  test(`validatorOf judges ${JSON.stringify(spec)} after ${JSON.stringify(old)}`, () => {
    const causes = validatorOf(schema)(object(spec), old && object(old));
    assert.deepEqual(
      causes.map(({ reason, field }) => `${reason} ${field}`),
      expected,
    );
  });
}

test('structuralCauses asks for types', () => {
  const causes = structuralCauses({ type: 'object', properties: { a: {} } }, 'schema');
  assert.deepEqual(
    causes.map(({ field }) => field),
    ['schema.properties[a].type'],
  );
});

test('parseJsonPath finds conditions', () => {
  const find = parseJsonPath('.status.conditions[?(@.type=="Ready")].status');
  assert.deepEqual(find({ status: { conditions: [{ type: 'A' }, { type: 'Ready', status: 'True' }] } }), ['True']);
});

test('compareVersions puts the most mature first', () => {
  assert.deepEqual(['v1beta1', 'foo', 'v1', 'v2alpha1', 'v2'].sort(compareVersions), [
    'v2',
    'v1',
    'v1beta1',
    'v2alpha1',
    'foo',
  ]);
});
