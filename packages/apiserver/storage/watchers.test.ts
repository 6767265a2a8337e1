import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceCache } from './resource-cache.ts';
import { StoredObject } from './stored-object.ts';
import { Watcher } from './watcher.ts';

const prefix = '/registry/core/pods/';

/** A pod on a node. */
function podOn(node: string, revision: number, name = 'x'): StoredObject {
  const bytes = `{"metadata":{"resourceVersion":"${revision}"},"node":"${node}"}`;
  return new StoredObject({ key: `${prefix}a/${name}`, namespace: 'a' }, revision, Buffer.from(bytes));
}

const nodeOf = (object: StoredObject) => (object.object as unknown as { node: string }).node;

function watchedByNodes(nodes: readonly string[]) {
  const cache = new ResourceCache(prefix, 0);
  let asked = 0;
  const watchers = nodes.map((node) => {
    const field = { form: 'field:node', value: node, read: nodeOf };
    const matches = (object: StoredObject) => {
      asked += 1;
      return nodeOf(object) === node;
    };
    const watcher = new Watcher({ namespace: '', name: '', field, matches }, 0);
    cache.register(watcher);
    return watcher;
  });
  const taken = () => watchers.map((watcher) => (watcher.isReady ? watcher.take()!.map(({ type }) => type) : []));
  return { cache, watchers, taken, asked: () => asked };
}

test('Watchers asks those who watch one value of a field only when it was or is that', () => {
  const nodes = Array.from({ length: 1_000 }, (_, index) => `node-${index}`);
  const { cache, watchers, taken, asked } = watchedByNodes(nodes);
  const told = () => taken().flatMap((types, index) => types.map((type) => `${type} ${index}`));
  cache.put(podOn('node-7', 1), 0);
  assert.deepEqual(told(), ['ADDED 7']);
  cache.put(podOn('node-7', 2), 0);
  assert.deepEqual(told(), ['MODIFIED 7']);
  cache.put(podOn('node-9', 3), 0);
  assert.deepEqual(told(), ['DELETED 7', 'ADDED 9']);
  cache.put(podOn('', 4, 'y'), 0);
  cache.remove(`${prefix}a/x`, 5, 0);
  assert.deepEqual(told(), ['DELETED 9']);
  assert.ok(asked() <= 10, `${asked()} times`);
  assert.equal([...cache.watchers()].length, nodes.length);
  for (const watcher of watchers) watcher.end();
  assert.equal([...cache.watchers()].length, 0);
});

test('Watchers tells those of a name, a namespace and everything, each until it ends', () => {
  const cache = new ResourceCache(prefix, 0);
  const selections = [
    { namespace: '', name: '' },
    { namespace: 'a', name: '' },
    { namespace: 'b', name: '' },
    { namespace: 'a', name: 'x' },
    { namespace: '', name: 'y' },
  ];
  const watchers = selections.map((selection) => new Watcher({ ...selection, matches: undefined }, 0));
  for (const watcher of watchers) cache.register(watcher);
  cache.put(podOn('n', 1), 0);
  assert.deepEqual(
    watchers.map(({ isReady }) => isReady),
    [true, true, false, true, false],
  );
  watchers[1]!.take();
  watchers[1]!.end();
  cache.put(podOn('n', 2), 0);
  assert.equal(watchers[1]!.take(), undefined);
  assert.equal(watchers[3]!.take()!.length, 2);
});

test('Watchers does not hold who has ended before', () => {
  const cache = new ResourceCache(prefix, 0);
  for (const name of ['', 'x']) {
    const watcher = new Watcher({ namespace: '', name, matches: undefined }, 0);
    watcher.end();
    cache.register(watcher);
  }
  assert.deepEqual([...cache.watchers()], []);
});
