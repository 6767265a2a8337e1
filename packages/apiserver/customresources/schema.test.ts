import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaulted } from './objects/defaults.ts';
import { parseJsonPath } from './json-path.ts';
import { pruned } from './objects/prune.ts';
import { scaleCauses } from './objects/scale-rules.ts';
import type { Schema } from './schema.ts';
import { structuralCauses } from './definitions/structural.ts';
import { validatorOf } from './objects/validate.ts';
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

test('defaulted hands out no more defaults than it is asked to', () => {
  const item: Schema = { type: 'object', properties: { a: { type: 'string', default: 'x'.repeat(98) } } };
  const list = { type: 'object', properties: { spec: { type: 'array', items: item } } } as unknown as Schema;
  const given = (count: number) => ({ ...object({}), spec: Array.from({ length: count }, () => ({})) });
  assert.deepEqual(defaulted(given(10), list, 1_000).spec[9], { a: 'x'.repeat(98) });
  assert.throws(() => defaulted(given(11), list, 1_000), { reason: 'RequestEntityTooLarge' });
});

/** Rules are not asked of what has the wrong form. */
const unchecked = 'FieldValueInvalid <nil>';

const judged: readonly (readonly [spec: object, old: object | undefined, expected: readonly string[]])[] = [
  [{ color: 'red', size: 3 }, undefined, []],
  [{ size: 3 }, undefined, ['FieldValueRequired spec.color', unchecked]],
  [
    { color: 'green', size: -1 },
    undefined,
    ['FieldValueNotSupported spec.color', 'FieldValueInvalid spec.size', unchecked],
  ],
  [{ color: 'red', size: 'x' }, undefined, ['FieldValueTypeInvalid spec.size', unchecked]],
  [{ color: 'red', size: 11 }, undefined, ['FieldValueInvalid spec']],
  [{ color: 'green', size: 4 }, { color: 'green', size: 3 }, []],
];

for (const [spec, old, expected] of judged) {
  test(`validatorOf judges ${JSON.stringify(spec)} after ${JSON.stringify(old)}`, () => {
    const causes = validatorOf(schema).object(object(spec), old && object(old));
    assert.deepEqual(
      causes.map(({ reason, field }) => `${reason} ${field}`),
      expected,
    );
  });
}

test('validatorOf warns of rules that what did not change breaks', () => {
  const warnings: string[] = [];
  const before = object({ color: 'red', size: 11 });
  const causes = validatorOf(schema).object(
    { ...before, metadata: { name: 'a', labels: { a: 'b' } } },
    before,
    warnings,
  );
  assert.deepEqual(causes, []);
  assert.deepEqual(warnings, ['spec: Invalid value: too big']);
});

test('validatorOf hands rules an oldSelf that may be missing', () => {
  const rule = { rule: '!oldSelf.hasValue() || self >= oldSelf.value()', optionalOldSelf: true };
  const size: Schema = { type: 'integer', 'x-kubernetes-validations': [rule] };
  const judge = validatorOf({ type: 'object', properties: { size } }).object;
  assert.equal(judge({ size: 1 }, undefined).length, 0);
  assert.equal(judge({ size: 2 }, { size: 1 }).length, 0);
  assert.equal(judge({ size: 1 }, { size: 2 }).length, 1);
});

test('pruned drops what metadata of objects in objects does not have', () => {
  const inner: Schema = { type: 'object', 'x-kubernetes-embedded-resource': true };
  const unknown: string[] = [];
  const kept = pruned({ inner: { metadata: { name: 'a', bogus: 1 } } }, { properties: { inner } }, unknown);
  assert.deepEqual(kept, { inner: { metadata: { name: 'a' } } });
  assert.deepEqual(unknown, ['inner.metadata.bogus']);
});

test('scaleCauses names the paths of counts', () => {
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  const fields = (spec: object) => scaleCauses({ spec }, scale, 'object').map(({ field }) => field);
  assert.deepEqual(fields({}), []);
  assert.deepEqual(fields({ replicas: 1 }), []);
  for (const replicas of [-1, 1.5, 'x', 2 ** 31]) assert.deepEqual(fields({ replicas }), ['.spec.replicas']);
});

test('structuralCauses asks for types', () => {
  const causes = structuralCauses({ type: 'object', properties: { a: {} } }, 'schema');
  assert.deepEqual(
    causes.map(({ field }) => field),
    ['schema.properties[a].type'],
  );
});

test('parseJsonPath finds nothing once the budget is spent', () => {
  const value = { a: { b: [{ c: 1 }, { c: 2 }] } };
  assert.deepEqual(parseJsonPath('.a..c')(value, { left: 100 }), [1, 2]);
  for (const path of ['..*'.repeat(30), '[*,*]'.repeat(60), `.a.b${'[?(@..c)][*,*]'.repeat(60)}`, '..']) {
    const budget = { left: 10_000 };
    assert.deepEqual(parseJsonPath(path)(path === '..' ? Array.from({ length: 20_000 }) : value, budget), []);
    assert.ok(budget.left > -30_000, `${budget.left} left of ${path}`);
  }
  assert.throws(() => parseJsonPath('[?(@'.repeat(1_000_000)), /unterminated/);
  assert.throws(() => parseJsonPath(`${'[?(@'.repeat(100)}${')]'.repeat(100)}`), /nested deeper/);
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
