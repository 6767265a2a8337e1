import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint, EndpointSlice } from '@kubernode/api/discovery/v1';
import { testObject } from '../shared/testing.ts';
import { planSlices } from './plan-slices.ts';

const ports = [{ name: '', port: 80, protocol: 'TCP' as const }];
const endpoint = (id: string, ready = true): Endpoint => ({ addresses: [id], conditions: { ready } });
const slice = (name: string, ids: readonly string[], onPorts: EndpointSlice['ports'] = ports): EndpointSlice =>
  testObject<EndpointSlice>({ metadata: { name }, endpoints: ids.map((id) => endpoint(id)), ports: onPorts });

function plan(existing: readonly EndpointSlice[], wanted: readonly Endpoint[], hasMetadata = true) {
  const groups = wanted.length > 0 ? [{ ports, endpoints: wanted }] : [];
  const result = planSlices({ existing, groups, endpointsMax: 3, hasMetadata: () => hasMetadata });
  const ids = (endpoints: readonly Endpoint[]) => endpoints.map(({ addresses }) => addresses[0]).join('');
  return {
    create: result.create.map(({ endpoints }) => ids(endpoints)),
    update: result.update.map(({ slice: { metadata }, endpoints }) => `${metadata.name}:${ids(endpoints)}`),
    remove: result.remove.map(({ metadata }) => metadata.name),
  };
}

const of = (text: string) => Array.from(text).map((id) => endpoint(id));
const nothing = { create: [], update: [], remove: [] };
const cases: [string, readonly EndpointSlice[], readonly Endpoint[], ReturnType<typeof plan>][] = [
  ['makes slices of at most the limit', [], of('abcd'), { ...nothing, create: ['abc', 'd'] }],
  ['writes nothing where nothing changed', [slice('s', ['a', 'b'])], of('ba'), nothing],
  ['fills what changes anyway', [slice('s', ['a', 'b', 'c'])], of('abd'), { ...nothing, update: ['s:abd'] }],
  ['fills one that has room for the rest', [slice('s', ['a'])], of('ab'), { ...nothing, update: ['s:ab'] }],
  [
    'prefers the fullest with room',
    [slice('s', ['a']), slice('t', ['b', 'c'])],
    of('abcd'),
    { ...nothing, update: ['t:bcd'] },
  ],
  ['removes what is empty', [slice('s', ['a']), slice('t', ['b'])], of('b'), { ...nothing, remove: ['s'] }],
  [
    'tells a new state of the same endpoint',
    [slice('s', ['a'])],
    [endpoint('a', false)],
    { ...nothing, update: ['s:a'] },
  ],
  [
    'does not mix ports',
    [slice('s', ['a'], [{ name: 'x', port: 1 }])],
    of('a'),
    { ...nothing, create: ['a'], remove: ['s'] },
  ],
];

for (const [name, existing, wanted, expected] of cases)
  test(`planSlices ${name}`, () => assert.deepEqual(plan(existing, wanted), expected));

test('planSlices writes slices whose labels are not as they should be', () => {
  assert.deepEqual(plan([slice('s', ['a'])], of('a'), false).update, ['s:a']);
});
