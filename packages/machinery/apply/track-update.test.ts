import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plain } from '../json-value.ts';
import { any, thing } from '../test-shapes.ts';
import type { ManagedFieldsEntry } from './managed-fields.ts';
import { trackUpdate } from './track-update.ts';

const base = { shape: thing, manager: 'm', apiVersion: 'v1', nowTime: '2026-01-01T00:00:00Z' };

const created = (updated: Plain, options = {}) => trackUpdate({ ...base, live: undefined, updated, ...options });

const withFields = (object: Plain, managedFields: readonly ManagedFieldsEntry[] | undefined) => ({
  ...object,
  metadata: { ...(object['metadata'] as Plain), managedFields },
});

test('trackUpdate: a create owns all but what names the object, and what Go writes anyway or leaves out', () => {
  const entries = created({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: 't', uid: 'u', labels: { a: 'b' } },
    data: { k: 'v' },
    spec: { containers: [{ name: 'c', args: [] }] },
  });
  assert.deepEqual(entries, [
    {
      manager: 'm',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:data': { '.': {}, 'f:k': {} },
        'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
        'f:spec': {
          'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:name': {}, 'f:resources': {} } },
        },
      },
    },
  ]);
});

test('trackUpdate: what changes goes to the writer, what goes away to nobody', () => {
  const object = { metadata: { name: 't' }, data: { a: '1', b: '2', c: '3' } };
  const live = withFields(object, created(object));
  const updated = { ...live, data: { a: '1', b: '4' } };
  const entries = trackUpdate({ ...base, live, updated, manager: 'n', subresource: 'status' });
  assert.deepEqual(
    entries?.map((entry) => [entry.manager, entry.subresource, entry.fieldsV1]),
    [
      ['m', undefined, { 'f:data': { '.': {}, 'f:a': {} } }],
      ['n', 'status', { 'f:data': { 'f:b': {} } }],
    ],
  );
});

test('trackUpdate answers the live list itself where nothing changes hands', () => {
  const object = { metadata: { name: 't', resourceVersion: '1' }, data: { a: '1' } };
  const live = withFields(object, created(object));
  const updated = { ...object, metadata: { name: 't', resourceVersion: '2' } };
  assert.equal(trackUpdate({ ...base, live, updated, nowTime: 'later' }), live.metadata.managedFields);
  assert.equal(trackUpdate({ ...base, live, updated: live, nowTime: 'later' }), live.metadata.managedFields);
});

test('trackUpdate hands on the sets that stay as they were, and puts those in order that a client sent', () => {
  const object = { metadata: { name: 't' }, data: { a: '1', b: '2' } };
  const live = withFields(object, created(object));
  const again = trackUpdate({ ...base, live, updated: { ...live, data: { a: '3', b: '2' } }, nowTime: 'later' });
  assert.equal(again?.[0]?.time, 'later');
  assert.equal(again?.[0]?.fieldsV1, live.metadata.managedFields?.[0]?.fieldsV1);
  const other = trackUpdate({ ...base, live, updated: { ...live, data: { a: '1', b: '2', c: '3' } }, manager: 'n' });
  assert.equal(other?.[0]?.fieldsV1, live.metadata.managedFields?.[0]?.fieldsV1);
  assert.deepEqual(other?.[1]?.fieldsV1, { 'f:data': { 'f:c': {} } });
  const sent = [{ ...live.metadata.managedFields![0]!, fieldsV1: { 'f:data': { 'f:b': {}, 'f:a': {}, '.': {} } } }];
  const sorted = trackUpdate({
    ...base,
    live,
    updated: withFields({ ...object, spec: { replicas: 1 } }, sent),
    manager: 'n',
  });
  assert.equal(JSON.stringify(sorted?.[0]?.fieldsV1), '{"f:data":{".":{},"f:a":{},"f:b":{}}}');
});

test('trackUpdate: an empty list resets, a broken one is ignored', () => {
  const object = { metadata: { name: 't' }, data: { a: '1' } };
  const live = withFields(object, created(object));
  assert.equal(trackUpdate({ ...base, live, updated: withFields(object, []) }), undefined);
  const broken = withFields(object, [{ manager: 'x', operation: 'Bogus' }]);
  assert.equal(trackUpdate({ ...base, live, updated: broken }), live.metadata.managedFields);
});

test('trackUpdate: what the endpoint resets stays out', () => {
  const updated = { metadata: { name: 't' }, data: { a: '1' }, spec: { replicas: 1 } };
  const [entry] = created(updated, { resetFields: { 'f:spec': {} } }) ?? [];
  assert.deepEqual(entry?.fieldsV1, { 'f:data': { '.': {}, 'f:a': {} } });
});

test('trackUpdate keeps ten updaters, the oldest become "ancient-changes"', () => {
  let live: Plain = { metadata: { name: 't' } };
  for (let index = 0; index < 13; index += 1) {
    const updated = { ...live, data: { ...(live['data'] as Plain | undefined), [`k${index}`]: 'v' } };
    const nowTime = `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`;
    const before = index === 0 ? undefined : live;
    live = withFields(updated, trackUpdate({ ...base, live: before, updated, manager: `m${index}`, nowTime }));
  }
  const entries = (live['metadata'] as Plain)['managedFields'] as ManagedFieldsEntry[];
  assert.equal(entries.length, 10);
  assert.equal(entries[0]?.manager, 'ancient-changes');
  assert.deepEqual(Object.keys(entries[0]?.fieldsV1?.['f:data'] ?? {}), ['.', 'f:k0', 'f:k1', 'f:k2', 'f:k3']);
});

test('trackUpdate merges thousands of updaters that a client sent, and takes from each', () => {
  const count = 10_000;
  const managedFields = Array.from({ length: count }, (_, index) => ({
    manager: `m${index}`,
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { [`f:k${index}`]: {} } },
  }));
  const data = Object.fromEntries(managedFields.map((_, index) => [`n${index}`, 'v']));
  const entries = created({ metadata: { name: 't', managedFields }, data }) ?? [];
  assert.equal(entries.length, 10);
  const ancient = entries.find(({ manager }) => manager === 'ancient-changes');
  assert.equal(Object.keys(ancient?.fieldsV1?.['f:data'] ?? {}).length, count - 8);
});

test('trackUpdate deduces what has no shape: objects by key, lists as a whole', () => {
  const [entry] = created({ metadata: { name: 't' }, spec: { a: { b: 1 }, list: [{ c: 2 }] } }, { shape: any }) ?? [];
  assert.deepEqual(entry?.fieldsV1, { 'f:spec': { '.': {}, 'f:a': { '.': {}, 'f:b': {} }, 'f:list': {} } });
});
