import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, Secret, ServiceAccount } from '@kubernode/api/core/v1';
import { decide, type Facts } from './decide.ts';

const nowMs = Date.parse('2028-06-01T00:00:00Z');
const account = { metadata: { name: 'sa', uid: 'u' }, secrets: [{ name: 's' }] } as unknown as ServiceAccount;
const mounting = (spec: object) => [{ spec }] as unknown as Pod[];
const base: Facts = { nowMs, trackedSince: '2026-01-01', account, pods: [] };

const cases: readonly [what: string, secret: object, facts: Partial<Facts>, expected: ReturnType<typeof decide>][] = [
  ['marks what was never used', {}, {}, 'mark'],
  [
    'marks what was last used long ago',
    { labels: { 'kubernetes.io/legacy-token-last-used': '2027-01-01' } },
    {},
    'mark',
  ],
  [
    'keeps what was used within a year',
    { labels: { 'kubernetes.io/legacy-token-last-used': '2028-01-01' } },
    {},
    'keep',
  ],
  ['keeps what is young', { creationTimestamp: '2028-01-01T00:00:00Z' }, {}, 'keep'],
  ['keeps all while uses were noted for less than a year', {}, { trackedSince: '2027-12-01' }, 'keep'],
  ['keeps all where it is not known since when', {}, { trackedSince: undefined }, 'keep'],
  ['keeps what somebody made', {}, { account: { ...account, secrets: [] } as ServiceAccount }, 'keep'],
  ['keeps what a pod mounts', {}, { pods: mounting({ volumes: [{ secret: { secretName: 's' } }] }) }, 'keep'],
  ['keeps what a pod pulls with', {}, { pods: mounting({ imagePullSecrets: [{ name: 's' }] }) }, 'keep'],
  [
    'keeps what a container reads',
    {},
    { pods: mounting({ containers: [{ envFrom: [{ secretRef: { name: 's' } }] }] }) },
    'keep',
  ],
  [
    'keeps what was marked within a year',
    { labels: { 'kubernetes.io/legacy-token-invalid-since': '2028-01-01' } },
    {},
    'keep',
  ],
  [
    'deletes what was marked long ago',
    { labels: { 'kubernetes.io/legacy-token-invalid-since': '2027-01-01' } },
    {},
    'delete',
  ],
];

for (const [what, metadata, facts, expected] of cases)
  test(`decide ${what}`, () => {
    const secret = { metadata: { name: 's', creationTimestamp: '2026-02-01T00:00:00Z', ...metadata } };
    assert.equal(decide(secret as unknown as Secret, { ...base, ...facts }), expected);
  });
