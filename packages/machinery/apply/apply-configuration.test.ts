import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deepFreeze } from '../deep.ts';
import type { Plain } from '../json-value.ts';
import { thing } from '../test-shapes.ts';
import { applyConfiguration, type Applied } from './apply-configuration.ts';
import { conflictMessage } from './ownership.ts';
import { mergeOrder } from './merge.ts';
import { trackUpdate } from './track-update.ts';

const times = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'] as const;

function apply(live: Plain | undefined, manager: string, applied: Plain, options = {}): Applied {
  const named = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 't' }, ...applied };
  const request = { live, applied: named, shape: thing, manager, apiVersion: 'v1', nowTime: times[0], ...options };
  return deepFreeze(applyConfiguration(request));
}

/** Who owns what, as `{ 'one Apply': fieldsV1 }`. */
function ownersOf(object: Plain): Record<string, unknown> {
  const entries = ((object['metadata'] as Plain)['managedFields'] ?? []) as Plain[];
  return Object.fromEntries(
    entries.map((entry) => [`${String(entry['manager'])} ${String(entry['operation'])}`, entry['fieldsV1']]),
  );
}

const update = (live: Plain, manager: string, change: Plain) => {
  const updated = { ...live, ...change };
  const managedFields = trackUpdate({ live, updated, shape: thing, manager, apiVersion: 'v1', nowTime: times[1] });
  return { ...updated, metadata: { ...(updated['metadata' as keyof typeof updated] as Plain), managedFields } };
};

test('applyConfiguration creates, and owns what it set', () => {
  const { object } = apply(undefined, 'one', {
    data: { x: '1' },
    spec: { selector: { a: 'b' }, containers: [{ name: 'a', ports: [{ port: 443 }, { port: 80 }] }] },
  });
  const text = JSON.stringify(ownersOf(object)['one Apply']);
  assert.equal(
    text,
    '{"f:data":{"f:x":{}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"a\\"}":{".":{},"f:name":{},"f:ports":' +
      '{"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{}},' +
      '"k:{\\"port\\":443,\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{}}}}},"f:selector":{}}}',
  );
});

test('applyConfiguration refuses what another owns with another value, unless forced', () => {
  const { object } = apply(undefined, 'one', { data: { x: '1', y: '1' } });
  const refused = apply(object, 'two', { data: { x: '2' } });
  assert.deepEqual(refused.conflicts, [{ message: 'conflict with "one"', field: '.data.x' }]);
  assert.equal(conflictMessage(refused.conflicts), 'Apply failed with 1 conflict: conflict with "one": .data.x');
  const shared = apply(object, 'two', { data: { x: '1' } });
  assert.deepEqual(shared.conflicts, []);
  const forced = apply(object, 'two', { data: { x: '2' } }, { force: true });
  assert.deepEqual(forced.object['data'], { x: '2', y: '1' });
  assert.deepEqual(ownersOf(forced.object), {
    'one Apply': { 'f:data': { 'f:y': {} } },
    'two Apply': { 'f:data': { 'f:x': {} } },
  });
});

test('applyConfiguration: conflicts with updaters name the version, several are listed by owner', () => {
  const { object } = apply(undefined, 'one', { data: { x: '1', y: '1' } });
  const changed = update(object, 'updater', { data: { x: '3', y: '3' } });
  assert.deepEqual(ownersOf(changed), { 'updater Update': { 'f:data': { 'f:x': {}, 'f:y': {} } } });
  const { conflicts } = apply(changed, 'one', { data: { x: '1', y: '1' } });
  assert.equal(
    conflictMessage(conflicts),
    'Apply failed with 2 conflicts: conflicts with "updater" using v1:\n- .data.x\n- .data.y',
  );
});

test('applyConfiguration removes what its manager gives up, unless others own it', () => {
  const first = apply(undefined, 'one', { data: { x: '1', y: '1' } }).object;
  const second = apply(first, 'two', { data: { x: '1', z: '1' } }).object;
  const third = apply(second, 'one', { data: { y: '1' } }).object;
  assert.deepEqual(third['data'], { x: '1', y: '1', z: '1' });
  const fourth = apply(third, 'two', { data: { z: '1' } }).object;
  assert.deepEqual(fourth['data'], { y: '1', z: '1' });
  const last = apply(apply(fourth, 'two', {}).object, 'one', {}).object;
  assert.equal(last['data'], undefined);
  assert.deepEqual(ownersOf(last), {});
});

test('applyConfiguration removes items of lists and sets by key', () => {
  const first = apply(undefined, 'one', {
    metadata: { name: 't', finalizers: ['x/1'] },
    spec: { containers: [{ name: 'a', image: 'i' }, { name: 'b' }] },
  }).object;
  const second = apply(first, 'two', { metadata: { name: 't', finalizers: ['x/2'] } }).object;
  const third = apply(second, 'one', {
    metadata: { name: 't', finalizers: ['x/3'] },
    spec: { containers: [{ name: 'b' }] },
  }).object;
  assert.deepEqual((third['metadata'] as Plain)['finalizers'], ['x/2', 'x/3']);
  assert.deepEqual(third['spec'], { containers: [{ name: 'b' }] });
});

test('applyConfiguration gives what was there before to "before-first-apply"', () => {
  const { object } = apply({ metadata: { name: 't', uid: 'u' }, data: { y: '5' } }, 'one', { data: { y: '5' } });
  assert.deepEqual(ownersOf(object), {
    'one Apply': { 'f:data': { 'f:y': {} } },
    'before-first-apply Update': { 'f:data': { '.': {}, 'f:y': {} } },
  });
});

test('applyConfiguration refuses what does not fit, with upstream messages', () => {
  const cases: [Plain, string][] = [
    [{ bogus: 1 }, '.bogus: field not declared in schema'],
    [{ data: { k: 5 } }, '.data.k: expected string, got 5'],
    [{ spec: { replicas: 'x' } }, '.spec.replicas: expected numeric (int or float), got "x"'],
    [
      { spec: { containers: [{ name: 'a' }, { name: 'a' }] } },
      '.spec.containers: duplicate entries for key [name="a"]',
    ],
    [{ metadata: { name: 't', finalizers: ['x', 'x'] } }, '.metadata.finalizers: duplicate entries for key [="x"]'],
  ];
  for (const [applied, message] of cases) assert.throws(() => apply(undefined, 'one', applied), { message }, message);
});

test('mergeOrder keeps both orders where it can', () => {
  const cases: [string, string, string][] = [
    ['abc', 'ca', 'bca'],
    ['abc', 'xb', 'axbc'],
    ['', 'ab', 'ab'],
    ['ab', '', 'ab'],
    ['ab', 'ba', 'ba'],
  ];
  for (const [live, applied, expected] of cases) {
    const order = mergeOrder(live.split(''), applied.split('')).map((place) => place.element);
    assert.equal(order.join(''), expected, `${live} + ${applied}`);
  }
});

const letters = fc.stringMatching(/^[a-c]$/);
const configuration: fc.Arbitrary<Plain> = fc
  .record(
    {
      data: fc.dictionary(letters, letters),
      spec: fc.record(
        {
          replicas: fc.nat(3),
          selector: fc.dictionary(letters, letters),
          containers: fc.uniqueArray(fc.record({ name: letters, image: letters, args: fc.array(letters) }), {
            selector: (item) => item.name,
          }),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.parse(JSON.stringify(value)) as Plain);

test('applyConfiguration: the same once more changes nothing, not even the time', () => {
  fc.assert(
    fc.property(configuration, configuration, (mine, others) => {
      const first = apply(undefined, 'other', others).object;
      const once = apply(first, 'me', mine, { force: true }).object;
      const twice = apply(once, 'me', mine, { nowTime: times[1] });
      assert.deepEqual(twice.conflicts, []);
      assert.deepEqual(twice.object, once);
    }),
  );
});
