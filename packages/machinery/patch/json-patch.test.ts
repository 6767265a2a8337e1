import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deepFreeze } from '../deep.ts';
import { seededRandom } from '../random.ts';
import { jsonPatch, type JsonPatchOperation } from './json-patch.ts';

const op = (name: string, path: string, value?: unknown): JsonPatchOperation => ({
  op: name,
  path,
  ...(value === undefined ? {} : { value }),
});

test('jsonPatch applies operations as upstream does', () => {
  const doc = deepFreeze({ a: { b: 'x' }, list: [1, 2, 3], 'c/d': { '~': 1 } });
  const cases: [JsonPatchOperation[], (expected: Record<string, unknown>) => void][] = [
    [[op('add', '/a/c', 'y')], (e) => (e['a'] = { b: 'x', c: 'y' })],
    [[op('add', '/a/c')], (e) => (e['a'] = { b: 'x', c: null })],
    [[op('add', '/list/-', 4)], (e) => (e['list'] = [1, 2, 3, 4])],
    [[op('add', '/list/1', 9)], (e) => (e['list'] = [1, 9, 2, 3])],
    [[op('add', '/list/-1', 9)], (e) => (e['list'] = [1, 2, 3, 9])],
    [[op('replace', '/list/-1', 9)], (e) => (e['list'] = [1, 2, 9])],
    [[op('remove', '/list/0')], (e) => (e['list'] = [2, 3])],
    [[op('replace', '/new', 1)], (e) => (e['new'] = 1)],
    [[op('replace', 'ignored/new', 1)], (e) => (e['new'] = 1)],
    [[op('replace', '/c~1d/~0', 2)], (e) => (e['c/d'] = { '~': 2 })],
    [[{ op: 'move', from: '/a/b', path: '/m' }], (e) => Object.assign(e, { a: {}, m: 'x' })],
    [[{ op: 'copy', from: '/a', path: '/m' }], (e) => (e['m'] = { b: 'x' })],
    [[op('test', '/a', { b: 'x' }), op('test', '/none', null)], () => undefined],
  ];
  for (const [operations, change] of cases) {
    const expected = structuredClone(doc) as Record<string, unknown>;
    change(expected);
    assert.deepEqual(jsonPatch(doc, operations), expected, JSON.stringify(operations));
  }
});

test('jsonPatch refuses with upstream messages', () => {
  const cases: [JsonPatchOperation, string][] = [
    [op('bogus', '/a'), 'Unexpected kind: bogus'],
    [op('add', '/x/y', 1), 'add operation does not apply: doc is missing path: "/x/y": missing value'],
    [op('remove', '/x'), "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value"],
    [op('replace', '/x/y', 1), 'replace operation does not apply: doc is missing path: /x/y: missing value'],
    [op('replace', '/l/7', 1), 'replace operation does not apply: doc is missing key: /l/7: missing value'],
    [
      op('add', '/l/7', 1),
      "error in add for path: '/l/7': Unable to access invalid index: 7: invalid index referenced",
    ],
    [op('test', '/a', 2), 'testing value /a failed: test failed'],
  ];
  for (const [operation, message] of cases) {
    assert.throws(() => jsonPatch({ a: 1, l: [] }, [operation]), { message }, JSON.stringify(operation));
  }
});

test('jsonPatch never touches a prototype', () => {
  for (const path of ['/__proto__/x', '/constructor/prototype/x']) {
    assert.throws(() => jsonPatch({ a: {} }, [op('add', path, 1)]), { name: 'PatchError' }, path);
  }
  assert.equal(
    JSON.stringify(jsonPatch({ a: {} }, [op('add', '/a/__proto__', { x: 1 })])),
    '{"a":{"__proto__":{"x":1}}}',
  );
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
});

test('jsonPatch bounds what copies of copies make', () => {
  const copies = Array.from({ length: 40 }, (_, index) => ({ op: 'copy', from: '/a', path: `/a/c${index}` }));
  assert.throws(() => jsonPatch({ a: { x: 'x'.repeat(100) } }, copies), {
    message: /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
  });
});

test('jsonPatch: removing what was added changes nothing', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-y]{1,3}$/), fc.jsonValue()), fc.jsonValue(), (doc, value) => {
      assert.deepEqual(jsonPatch(doc, [op('add', '/zz', value ?? null), op('remove', '/zz')]), { ...doc });
    }),
  );
});

test('jsonPatch changes long lists as short ones', () => {
  const random = seededRandom(1);
  const list: unknown[] = Array.from({ length: 6_000 }, (_, index) => index);
  const expected = [...list];
  const operations: JsonPatchOperation[] = [];
  const below = (length: number) => Math.floor(random() * length);
  for (let turn = 0; turn < 6_000; turn += 1) {
    const at = below(expected.length);
    const to = below(expected.length - 1);
    switch (turn % 6) {
      case 0:
        operations.push(op('add', `/a/${at}`, { turn }));
        expected.splice(at, 0, { turn });
        break;
      case 1:
        operations.push({ op: 'move', from: `/a/${at}`, path: `/a/${to}` });
        expected.splice(to, 0, ...expected.splice(at, 1));
        break;
      case 2:
        operations.push(op('replace', `/a/${at}`, turn), op('test', `/a/${at}`, turn));
        expected[at] = turn;
        break;
      default:
        operations.push(op('remove', `/a/${at}`));
        expected.splice(at, 1);
    }
  }
  operations.push(op('test', '/a', expected), { op: 'copy', from: '/a', path: '/b' }, op('add', '/a/-', 'end'));
  assert.deepEqual(jsonPatch({ a: list }, operations), { a: [...expected, 'end'], b: expected });
});

// Each would take minutes if an operation took time by the size of what it does not change.
test('jsonPatch does thousands of operations on a long list', () => {
  const doc = { a: Array.from({ length: 700_000 }, () => 0) };
  const times = <T>(operation: T) => Array.from({ length: 10_000 }, () => operation);
  assert.deepEqual(jsonPatch(doc, times({ op: 'move', from: '/a/0', path: '/a/-' })), doc);
  const short = jsonPatch(doc, times(op('remove', '/a/0'))) as typeof doc;
  assert.equal(short.a.length, 690_000);
  const there = { op: 'move', from: '/a', path: '/b' };
  const back = { op: 'move', from: '/b', path: '/a' };
  assert.deepEqual(jsonPatch(doc, times([op('remove', '/a/9'), there, back]).flat()), short);
});
