import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deepFreeze } from '../deep.ts';
import type { Plain } from '../json-value.ts';
import { thing } from '../test-shapes.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';

const live = deepFreeze({
  metadata: { name: 't', labels: { a: '1', b: '2' }, finalizers: ['x/1', 'x/2'] },
  spec: {
    containers: [
      { name: 'a', image: 'one', args: ['1', '2'], ports: [{ port: 80 }, { port: 81 }] },
      { name: 'b', image: 'one' },
    ],
    volumes: [{ name: 'v', emptyDir: {} }],
  },
});

const spec = (patch: unknown) => strategicMergePatch(live, { spec: patch } as Plain, thing)['spec'] as Plain;
const names = (list: unknown) => (list as { name: string }[]).map((item) => item.name);

test('strategicMergePatch merges lists by their key, new items first', () => {
  const patched = spec({
    containers: [
      { name: 'c', image: 'new' },
      { name: 'a', image: 'two' },
    ],
  });
  assert.deepEqual(names(patched['containers']), ['c', 'a', 'b']);
  const [, a] = patched['containers'] as Plain[];
  assert.deepEqual(a, { name: 'a', image: 'two', args: ['1', '2'], ports: [{ port: 80 }, { port: 81 }] });
});

test('strategicMergePatch replaces lists without a strategy and removes by null', () => {
  const [a] = spec({ containers: [{ name: 'a', args: ['3'], ports: null }] })['containers'] as Plain[];
  assert.deepEqual(a, { name: 'a', image: 'one', args: ['3'] });
  assert.equal('volumes' in spec({ volumes: null }), false);
});

test('strategicMergePatch: $patch deletes and replaces', () => {
  assert.deepEqual(names(spec({ containers: [{ name: 'b', $patch: 'delete' }] })['containers']), ['a']);
  assert.deepEqual(spec({ containers: [{ $patch: 'replace' }, { name: 'z' }] })['containers'], [{ name: 'z' }]);
  const replaced = strategicMergePatch(live, { metadata: { labels: { $patch: 'replace', c: '3' } } }, thing);
  assert.deepEqual((replaced['metadata'] as Plain)['labels'], { c: '3' });
  const deleted = strategicMergePatch(live, { metadata: { labels: { $patch: 'delete' } } }, thing);
  assert.deepEqual((deleted['metadata'] as Plain)['labels'], {});
  assert.deepEqual(strategicMergePatch({}, { metadata: { labels: { $patch: 'delete' } } }, thing), { metadata: {} });
});

test('strategicMergePatch: $retainKeys drops what it does not name', () => {
  const volumes = spec({ volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/' } }] });
  assert.deepEqual(volumes['volumes'], [{ name: 'v', hostPath: { path: '/' } }]);
});

test('strategicMergePatch: scalars merge as a set, and $deleteFromPrimitiveList takes them out', () => {
  const finalizers = (patch: Plain) =>
    (strategicMergePatch(live, { metadata: patch }, thing)['metadata'] as Plain)['finalizers'];
  assert.deepEqual(finalizers({ finalizers: ['x/3', 'x/1'] }), ['x/3', 'x/1', 'x/2']);
  assert.deepEqual(finalizers({ '$deleteFromPrimitiveList/finalizers': ['x/1'] }), ['x/2']);
});

test('strategicMergePatch: $setElementOrder puts items in order', () => {
  const patched = spec({
    '$setElementOrder/containers': [{ name: 'b' }, { name: 'new' }, { name: 'a' }],
    containers: [{ name: 'new', image: 'n' }],
  });
  assert.deepEqual(names(patched['containers']), ['b', 'new', 'a']);
  const only = spec({ '$setElementOrder/containers': [{ name: 'b' }] });
  assert.deepEqual(names(only['containers']), ['a', 'b']);
});

test('strategicMergePatch refuses with upstream messages', () => {
  const cases: [unknown, string][] = [
    [{ containers: [{ image: 'x' }] }, 'map: map[image:x] does not contain declared merge key: name'],
    [{ containers: [{ name: 'a', $patch: 'x' }] }, 'unknown patch type: x in map: map[$patch:x name:a]'],
    [{ containers: [{ $patch: 'merge' }] }, 'merging lists cannot yet be specified in the patch'],
    [{ volumes: [{ name: 'v', $retainKeys: [], emptyDir: {} }] }, 'invalid patch format of retainKeys'],
    [{ '$setElementOrder/containers': 'x' }, 'invalid patch format of setElementOrder list'],
    [
      { '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'b' }] },
      "The order in patch list:\n[map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
    ],
  ];
  for (const [patch, message] of cases) assert.throws(() => spec(patch), { message }, message);
});

test('strategicMergePatch with the document itself changes nothing', () => {
  const containers = fc.uniqueArray(fc.record({ name: fc.stringMatching(/^[a-z]{1,2}$/), image: fc.string() }), {
    selector: (item) => item.name,
  });
  fc.assert(
    fc.property(containers, fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.string()), (items, data) => {
      const doc = JSON.parse(JSON.stringify({ data, spec: { containers: items } })) as Plain;
      assert.deepEqual(strategicMergePatch(doc, doc, thing), doc);
    }),
  );
});
