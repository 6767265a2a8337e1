import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pattern } from './pattern.ts';
import { expressionSize } from './pattern-size.ts';

const expressions = [
  'abc',
  '(a{30}b{30}){30}',
  '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?',
  '([a{9}]{1,3}[]x{9}]){4,}',
  '(?:\\x{1000}|\\{{9}|\\pL{5})+',
  'a{,5}{',
];

for (const expression of expressions) {
  test(`expressionSize of ${expression} is about what compiling it makes`, () => {
    const pattern = Pattern.compile(expression);
    assert.ok(pattern instanceof Pattern);
    const size = expressionSize(expression);
    assert.ok(size > pattern.size / 3 && size < pattern.size * 2 + 5, `${size} for ${pattern.size}`);
  });
}

test('expressionSize reads what is no expression', () => {
  for (const text of ['(((', ')))', '[', '\\', 'a{1', '{5}', '{1000}'.repeat(9_000), '['.repeat(60_000)]) {
    assert.ok(expressionSize(text) >= 0);
  }
});

test('Pattern.compile refuses at once what repeats itself to millions of parts', () => {
  const error = Pattern.compile('(a{30}b{30}){30}'.repeat(400));
  assert.match(error instanceof Error ? error.message : '', /expression too large/);
});
