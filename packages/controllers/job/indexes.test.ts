import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Indexes } from './indexes.ts';

const texts: readonly [numbers: readonly number[], text: string][] = [
  [[], ''],
  [[3], '3'],
  [[1, 2], '1,2'],
  [[5, 1, 2, 3], '1-3,5'],
  [[0, 1, 4, 5, 6, 9], '0,1,4-6,9'],
];

for (const [numbers, text] of texts) {
  test(`Indexes writes [${numbers.join(' ')}] as "${text}" and reads it`, () => {
    assert.equal(Indexes.of(numbers).toString(), text);
    const parsed = Indexes.parse(text);
    assert.deepEqual(
      [...parsed],
      numbers.toSorted((a, b) => a - b),
    );
    assert.equal(parsed.size, numbers.length);
    for (let index = 0; index < 12; index++) assert.equal(parsed.has(index), numbers.includes(index));
  });
}

test('Indexes leaves out what is beyond the completions', () => {
  assert.equal(Indexes.parse('1-3,7-9', 3).toString(), '1,2');
});

test('Indexes.with adds, and answers itself where nothing is new', () => {
  const some = Indexes.parse('1-3');
  assert.equal(some.with([2, 5, 4]).toString(), '1-5');
  assert.equal(some.with([2]), some);
});
