import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  isQuantity,
  quantityMilli,
  quantityOf,
  quantityOfMilli,
  quantityScaled,
  quantityValue,
  subtractQuantities,
} from './quantity.ts';

test('canonicalQuantity takes the largest suffix that loses nothing', () => {
  const cases: [string | number, string][] = [
    ['0', '0'],
    ['1', '1'],
    [2.5, '2500m'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['0.5', '500m'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['1.1Ki', '1126400m'],
    ['1e3', '1e3'],
    ['12E6', '12E6'],
    ['10e1', '100'],
    ['1000k', '1M'],
    ['0.1n', '1n'],
    ['-1.5Gi', '-1536Mi'],
    ['1E', '1E'],
    ['100Ei', '9223372036854775807'],
    // The server keeps what is canonical but for its looks.
    ['1.500', '1.500'],
    ['+5', '+5'],
    ['0100Mi', '0100Mi'],
  ];
  for (const [written, canonical] of cases) {
    assert.equal(canonicalQuantity(written), canonical, String(written));
  }
});

test('canonicalQuantity refuses with upstream messages', () => {
  const format = /^quantities must match the regular expression/;
  for (const bad of ['', 'abc', '1.5.5', '1 Gi', '1Zi', ' 1']) {
    assert.throws(() => canonicalQuantity(bad), { message: format }, bad);
  }
  for (const bad of ['1e', '1Kie3', 'm1', '1e99999']) {
    assert.throws(() => canonicalQuantity(bad), { message: "unable to parse quantity's suffix" }, bad);
  }
  assert.equal(isQuantity('1Gi'), true);
  assert.equal(isQuantity('x'), false);
  assert.equal(isQuantity(undefined), false);
});

test('quantityValue and quantityMilli round away from zero', () => {
  assert.equal(quantityValue('1500m'), 2);
  assert.equal(quantityValue('1Ki'), 1024);
  assert.equal(quantityValue('-1500m'), -2);
  assert.equal(quantityMilli('0.1'), 100);
  assert.equal(quantityMilli('100n'), 1);
  assert.equal(quantityMilli(2), 2000);
  assert.equal(quantityValue(0.5), 1);
  assert.equal(quantityValue(-0.5), -1);
  assert.equal(quantityScaled('1', -9), 1_000_000_000n);
});

test('addQuantities and subtractQuantities keep the suffixes of the first', () => {
  assert.equal(addQuantities('1Gi', '512Mi'), '1536Mi');
  assert.equal(addQuantities('0', '1Gi'), '1Gi');
  assert.equal(addQuantities('1', '1Ki'), '1025');
  assert.equal(subtractQuantities('1', '100m'), '900m');
  assert.equal(subtractQuantities('1Gi', '1Gi'), '0');
  assert.equal(quantityOf(1073741824, 'BinarySI'), '1Gi');
  assert.equal(quantityOfMilli(1500), '1500m');
});

const quantity = fc
  .tuple(
    fc.integer({ min: -1_000_000, max: 1_000_000 }),
    fc.constantFrom('', '.5', '.125'),
    fc.constantFrom('', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'E-2'),
  )
  .map((parts) => parts.join(''));

test('canonicalQuantity is idempotent and keeps the value', () => {
  fc.assert(
    fc.property(quantity, (written) => {
      const canonical = canonicalQuantity(written);
      assert.equal(canonicalQuantity(canonical), canonical);
      assert.equal(compareQuantities(written, canonical), 0);
    }),
  );
});

test('addQuantities and subtractQuantities undo each other, and order agrees with difference', () => {
  fc.assert(
    fc.property(quantity, quantity, (a, b) => {
      assert.equal(compareQuantities(subtractQuantities(addQuantities(a, b), b), a), 0);
      assert.equal(compareQuantities(a, b), compareQuantities(subtractQuantities(a, b), '0'));
    }),
  );
});
