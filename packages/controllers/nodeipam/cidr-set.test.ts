import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CidrSet } from './cidr-set.ts';

test('CidrSet hands out each range once, and freed ones last', () => {
  const set = new CidrSet('10.244.0.0/22', 24);
  set.occupy('10.244.1.0/24');
  assert.deepEqual([set.allocate(), set.allocate()], ['10.244.0.0/24', '10.244.2.0/24']);
  set.release('10.244.0.0/24');
  assert.deepEqual([set.allocate(), set.allocate(), set.allocate()], ['10.244.3.0/24', '10.244.0.0/24', undefined]);
});

test('CidrSet overlooks ranges of others', () => {
  const set = new CidrSet('10.244.0.0/24', 24);
  set.occupy('10.0.0.0/24');
  set.occupy('fd00::/64');
  assert.equal(set.allocate(), '10.244.0.0/24');
});

test('CidrSet refuses a range that is too small', () => {
  assert.throws(() => new CidrSet('10.244.0.0/25', 24), /expected a network of at least one \/24/);
});
