import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@kubernode/machinery';
import { bandsOf } from './bands.ts';
import { IpAllocator } from './ip-allocator.ts';
import { PortAllocator } from './port-allocator.ts';

test('bandsOf leaves the lower band to those who choose', () => {
  const ips = { min: 16, max: 256, step: 16 };
  const cases: [number, number][] = [
    [14, 0],
    [254, 16],
    [1022, 63],
    [65534, 256],
  ];
  for (const [size, staticSize] of cases) assert.equal(bandsOf(size, ips).staticSize, staticSize);
});

test('IpAllocator gives out the upper band first, then the lower, then says it is full', () => {
  const allocator = new IpAllocator('10.0.0.0/27');
  const random = seededRandom(1);
  const given = Array.from({ length: 30 }, () => Number(allocator.allocate(random).split('.')[3]));
  assert.ok(Math.min(...given.slice(0, 14)) > 16, 'upper band');
  assert.deepEqual(
    given.toSorted((a, b) => a - b),
    Array.from({ length: 30 }, (_, index) => index + 1),
  );
  assert.throws(() => allocator.allocate(random), { message: 'range is full' });
  allocator.release('10.0.0.5');
  assert.equal(allocator.allocate(random), '10.0.0.5');
});

test('IpAllocator.reserve tells used from outside, and knows one address in any spelling', () => {
  const allocator = new IpAllocator('fd00::/112');
  assert.equal(allocator.reserve('FD00:0:0::a'), 'ok');
  assert.equal(allocator.reserve('fd00::a'), 'used');
  assert.equal(allocator.reserve('fd00::'), 'outside');
  assert.equal(allocator.reserve('fd01::1'), 'outside');
  assert.equal(new IpAllocator('10.0.0.0/24').reserve('10.0.0.255'), 'outside');
  assert.throws(() => new IpAllocator('x'), { message: /is not a network/ });
});

test('PortAllocator keeps to its range', () => {
  const allocator = new PortAllocator();
  assert.equal(allocator.reserve(29_999), 'outside');
  assert.equal(allocator.reserve(30_000), 'ok');
  assert.equal(allocator.reserve(30_000), 'used');
  const random = seededRandom(2);
  for (let index = 0; index < 100; index += 1) assert.ok(allocator.allocate(random) >= 30_086);
  assert.equal(allocator.usedCount, 101);
});
