import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeFieldValue, formatFieldSelector, matchesFields, parseFieldSelector } from './field-selector.ts';

test('parseFieldSelector reads =, == and !=, sorted by term', () => {
  assert.deepEqual(parseFieldSelector('status.phase!=Running,metadata.name==a,'), [
    { field: 'metadata.name', operator: '=', value: 'a' },
    { field: 'status.phase', operator: '!=', value: 'Running' },
  ]);
  assert.deepEqual(parseFieldSelector(''), []);
});

test('parseFieldSelector refuses with upstream messages', () => {
  const cases: [string, string][] = [
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=b\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ];
  for (const [selector, message] of cases) assert.throws(() => parseFieldSelector(selector), { message }, selector);
});

test('matchesFields needs all conditions', () => {
  const requirements = parseFieldSelector('metadata.name=a,spec.nodeName!=n');
  const values: Record<string, string> = { 'metadata.name': 'a' };
  assert.equal(
    matchesFields(requirements, (field) => values[field] ?? ''),
    true,
  );
  assert.equal(
    matchesFields(requirements, () => 'n'),
    false,
  );
});

test('escapeFieldValue makes any value safe', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const requirements = parseFieldSelector(`a=${escapeFieldValue(value)}`);
      assert.deepEqual(requirements, [{ field: 'a', operator: '=', value }]);
      assert.deepEqual(parseFieldSelector(formatFieldSelector(requirements)), requirements);
    }),
  );
});
