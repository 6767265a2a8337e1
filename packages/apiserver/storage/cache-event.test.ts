import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemFor, type CacheEvent } from './cache-event.ts';
import { StoredObject } from './stored-object.ts';

const key = '/registry/core/pods/a/x';

function version(revision: number, side: string): StoredObject {
  const bytes = `{"metadata":{"resourceVersion":"${revision}","labels":{"side":"${side}"}}}`;
  return new StoredObject({ key, namespace: 'a' }, revision, Buffer.from(bytes));
}

const sideIs = (side: string) => ({
  namespace: '',
  name: '',
  matches: ({ labels }: StoredObject) => labels['side'] === side,
});

test('itemFor makes one item of each type, however the watchers are mixed', () => {
  const object = version(2, 'right');
  const event: CacheEvent = { revision: 2, atMs: 0, object, previous: version(1, 'left'), deleted: false };
  const selections = [sideIs('left'), sideIs('right'), { namespace: '', name: '', matches: undefined }];
  const items = [...selections, ...selections].map((selection) => itemFor(event, selection));
  assert.deepEqual(
    items.map((item) => item?.type),
    ['DELETED', 'ADDED', 'MODIFIED', 'DELETED', 'ADDED', 'MODIFIED'],
  );
  assert.equal(new Set(items).size, 3);
  const [left] = items;
  assert.ok(left && left.type !== 'BOOKMARK');
  assert.deepEqual(left.object.object.metadata, { resourceVersion: '2', labels: { side: 'left' } });
  assert.equal(itemFor(event, sideIs('middle')), undefined);
});
