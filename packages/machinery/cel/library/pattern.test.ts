import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pattern } from './pattern.ts';

test('Pattern.test remembers how to go on, also with expressions of which one character says it', () => {
  for (const expression of ['^[a-z0-9-]+$', '^[^/]+(/[^/]+)?$', '(a|b)*a(a|b){3}$']) {
    const pattern = Pattern.compile(expression);
    assert.ok(pattern instanceof Pattern);
    const text = 'ab'.repeat(5_000);
    let steps = 0;
    assert.equal(
      pattern.test(`${text}aaaa`, (more) => (steps += more)),
      true,
    );
    assert.ok(steps < text.length * 3, `${expression}: ${steps} steps`);
  }
});
