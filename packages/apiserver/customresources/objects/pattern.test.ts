import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@kubernode/machinery';
import { validatorOf } from './validate.ts';
import { beginDefinition, compileNewPattern } from './pattern.ts';

/** The last of what is wrong. */
const messageOf = (object: Record<string, unknown>, schema: object) =>
  validatorOf({ type: 'object', properties: { a: schema } })
    .object(object, undefined)
    .at(-1)?.message ?? '';

test('validatorOf tries no pattern on more text than one object may take', () => {
  const explosive = { type: 'string', pattern: '(a|b)*a(a|b){900}$' };
  const random = seededRandom(1);
  const text = (length: number) => Array.from({ length }, () => (random() < 0.5 ? 'a' : 'b')).join('');
  assert.match(messageOf({ a: text(100_000) }, explosive), /too long for its pattern to be checked/);
  const list = { type: 'array', items: explosive };
  const texts = Array.from({ length: 200 }, () => text(1_000));
  assert.match(messageOf({ a: texts }, list), /too long for its pattern to be checked/);
});

test('validatorOf tries simple patterns on long texts', () => {
  assert.equal(messageOf({ a: 'a'.repeat(1_000_000) }, { type: 'string', pattern: '^(a+)+$' }), '');
  assert.match(messageOf({ a: `${'a'.repeat(1_000_000)}b` }, { type: 'string', pattern: '^(a+)+$' }), /should match/);
  const counted = { type: 'array', items: { type: 'string', pattern: '[a-z0-9]{1,1000}$' } };
  const texts = Array.from({ length: 100 }, (_, index) => `${'abcdefghi'.repeat(99)}${10_000 + index}`);
  assert.equal(messageOf({ a: texts }, counted), '');
});

test('validatorOf tells a bounded number of causes', () => {
  const numbers = { type: 'array', items: { type: 'integer', maximum: 5 } };
  const object = { a: Array.from({ length: 200_000 }, (_, index) => index) };
  const found = validatorOf({ type: 'object', properties: { a: numbers } }).object(object, undefined);
  assert.ok(found.length >= 100 && found.length <= 2_000, String(found.length));
});

test('compileNewPattern refuses definitions whose patterns are too large together', () => {
  beginDefinition();
  const compiled = Array.from({ length: 2_000 }, (_, index) => compileNewPattern(`(a{30}b{30}${index}){30}`));
  assert.ok(!(compiled[0] instanceof Error));
  const last = compiled.at(-1);
  assert.ok(last instanceof Error && last.message.includes('too large together'));
});
