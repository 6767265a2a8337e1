import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IPAddress, ServiceCIDR } from '@kubernode/api/networking/v1';
import { addressesOf, contains, isHeldUp, overlaps } from './ranges.ts';

const range = (name: string, ...cidrs: string[]) => ({ metadata: { name }, spec: { cidrs } }) as unknown as ServiceCIDR;

test('contains and overlaps look at ranges of both families', () => {
  const both = range('a', '10.0.0.0/16', 'fd00::/112');
  assert.ok(contains(both, '10.0.200.1') && contains(both, 'fd00::7'));
  assert.ok(!contains(both, '10.1.0.1'));
  assert.ok(overlaps(both, range('b', '10.0.3.0/24')) && overlaps(range('b', '10.0.0.0/8'), both));
  assert.ok(!overlaps(both, range('b', '10.1.0.0/16')));
});

test('isHeldUp keeps a range that addresses are of alone', () => {
  const one = range('one', '10.0.0.0/24');
  const cases: [ServiceCIDR[], string[], boolean][] = [
    [[one], [], false],
    [[one], ['10.0.0.7'], true],
    [[one], ['10.1.0.7'], false],
    [[one, range('same', '10.0.0.0/24')], ['10.0.0.7'], false],
    [[one, range('larger', '10.0.0.0/16')], ['10.0.0.7'], false],
    [[one, range('part', '10.0.0.0/28')], ['10.0.0.7'], false],
    [[one, range('part', '10.0.0.0/28')], ['10.0.0.7', '10.0.0.77'], true],
  ];
  for (const [all, ips, expected] of cases) assert.equal(isHeldUp(one, all, ips), expected, JSON.stringify([all, ips]));
});

test('addressesOf leaves out what others made', () => {
  const address = (name: string, manager: string) =>
    ({ metadata: { name, labels: { 'ipaddress.kubernetes.io/managed-by': manager } } }) as unknown as IPAddress;
  assert.deepEqual(addressesOf([address('10.0.0.1', 'ipallocator.k8s.io'), address('10.0.0.2', 'me')]), ['10.0.0.1']);
});
