import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, reverseAddress, type Zone } from './answer.ts';
import type { DnsRecord } from './records.ts';

const records: Readonly<{ [name: string]: readonly DnsRecord[] }> = {
  'web.default.svc.cluster.local': [
    { type: 'A', name: 'web.default.svc.cluster.local', data: '10.96.0.20' },
    {
      type: 'SRV',
      name: 'web.default.svc.cluster.local',
      data: { priority: 0, weight: 100, port: 80, target: 'web.default.svc.cluster.local' },
    },
  ],
  'out.default.svc.cluster.local': [{ type: 'CNAME', name: 'out.default.svc.cluster.local', data: 'example.com' }],
  'in.default.svc.cluster.local': [
    { type: 'CNAME', name: 'in.default.svc.cluster.local', data: 'web.default.svc.cluster.local' },
  ],
  'loop.default.svc.cluster.local': [
    { type: 'CNAME', name: 'loop.default.svc.cluster.local', data: 'loop.default.svc.cluster.local' },
  ],
};
const zone: Zone = {
  domain: 'cluster.local',
  find: (name) => records[name],
  namesOf: (address) => (address === '10.96.0.20' ? ['web.default.svc.cluster.local'] : []),
};
const summary = (name: string, type: string) => {
  const { code, answers } = answer(zone, { name, type });
  return `${code} ${answers.map(({ data }) => (typeof data === 'string' ? data : data.target)).join(' ')}`.trim();
};

for (const [name, type, expected] of [
  ['web.default.svc.cluster.local', 'A', 'NOERROR 10.96.0.20'],
  ['WEB.default.svc.cluster.local.', 'A', 'NOERROR 10.96.0.20'],
  ['web.default.svc.cluster.local', 'AAAA', 'NOERROR'],
  ['no.default.svc.cluster.local', 'A', 'NXDOMAIN'],
  ['out.default.svc.cluster.local', 'A', 'NOERROR example.com'],
  ['in.default.svc.cluster.local', 'A', 'NOERROR web.default.svc.cluster.local 10.96.0.20'],
  ['example.com', 'A', 'REFUSED'],
  ['20.0.96.10.in-addr.arpa', 'PTR', 'NOERROR web.default.svc.cluster.local'],
  ['21.0.96.10.in-addr.arpa', 'PTR', 'REFUSED'],
] as const) {
  test(`answer ${type} ${name}`, () => assert.equal(summary(name, type), expected));
}

test('answer adds the addresses of SRV targets', () => {
  const { additionals } = answer(zone, { name: 'web.default.svc.cluster.local', type: 'SRV' });
  assert.deepEqual(
    additionals.map(({ data }) => data),
    ['10.96.0.20'],
  );
});

test('reverseAddress reads both families', () => {
  assert.equal(reverseAddress('5.0.244.10.in-addr.arpa'), '10.244.0.5');
  assert.equal(reverseAddress(`${'1.'.padEnd(62, '0.')}0.ip6.arpa`), '::1');
  assert.equal(reverseAddress('web.default'), undefined);
});

test('answer ends although an alias leads to itself', () => {
  const { code, answers } = answer(zone, { name: 'loop.default.svc.cluster.local', type: 'A' });
  assert.deepEqual([code, answers.length], ['NOERROR', 9]);
});
