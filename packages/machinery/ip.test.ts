import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as ip from './ip.ts';

test('isIp and ipFamily take what Go takes', () => {
  assert.equal(ip.ipFamily('10.0.0.1'), 'IPv4');
  assert.equal(ip.ipFamily('2001:db8::1'), 'IPv6');
  for (const bad of ['', '1.2.3', '010.0.0.1', 'fe80::1%eth0', '1.2.3.4.5', '0x1.2.3.4', '256.1.1.1', '::g']) {
    assert.equal(ip.isIp(bad), false, bad);
  }
});

test('ipAddress and canonicalIpAddress give upstream messages', () => {
  assert.deepEqual(ip.ipAddress('x'), ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']);
  assert.deepEqual(ip.ipAddress('010.0.0.1'), ['must not have leading 0s']);
  assert.deepEqual(ip.ipAddress('::ffff:1.2.3.4'), ['must not be an IPv4-mapped IPv6 address']);
  assert.deepEqual(ip.ipAddress('2001:DB8::1'), []);
  assert.deepEqual(ip.canonicalIpAddress('2001:DB8::1'), ['must be in canonical form ("2001:db8::1")']);
});

test('cidr and canonicalCidr give upstream messages', () => {
  assert.deepEqual(ip.cidr('10.0.0.0/8'), []);
  assert.deepEqual(ip.cidr('10.0.0.1/8'), ['must not have bits set beyond the prefix length']);
  assert.deepEqual(ip.cidr('010.0.0.0/8'), ['must not have leading 0s in IP or prefix length']);
  assert.deepEqual(ip.cidr('10.0.0.0'), ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']);
  assert.deepEqual(ip.cidr('10.0.0.0/33'), ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']);
  assert.deepEqual(ip.canonicalCidr('2001:DB8::/32'), ['must be in canonical form ("2001:db8::/32")']);
});

test('parseCidr, cidrContains and ipOf agree', () => {
  const network = ip.parseCidr('10.96.3.7/16');
  assert.ok(network);
  assert.equal(ip.formatCidr(network), '10.96.0.0/16');
  assert.equal(ip.cidrSize(network), 65536n);
  assert.equal(ip.cidrContains(network, '10.96.255.255'), true);
  assert.equal(ip.cidrContains(network, '10.97.0.0'), false);
  assert.equal(ip.cidrContains(network, '::1'), false);
  assert.equal(ip.ipOf(network.base + 258n, 'IPv4'), '10.96.1.2');
  assert.equal(ip.ipOf(1n, 'IPv6'), '::1');
  assert.equal(ip.ipNumber('0.0.1.0'), 256n);
});
