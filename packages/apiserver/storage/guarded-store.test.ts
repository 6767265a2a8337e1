import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError } from '@kubernode/api';
import { silentLogger } from '@kubernode/machinery';
import { memoryStore, StoreFailed, StoreFull, StoreMissing, StoreUnusable } from '@kubernode/store';
import { guardedStore, isBroken, isLost } from './guarded-store.ts';

const failures: readonly [Error, RegExp, boolean, boolean][] = [
  [new StoreFull('/data/state.db'), /: the disk is full: free some space/, false, false],
  [new StoreMissing('/data/state.db', 'state.db'), /"state.db" was taken away or replaced/, true, false],
  [
    new StoreUnusable('"/data/state.db": damaged'),
    /: it is damaged: stop the server and restore a backup/,
    true,
    false,
  ],
  [new StoreFailed('"/data/state.db": its thread ended'), /: it has failed: see the log/, true, true],
];
for (const [error, message, lost, broken] of failures) {
  test(`guardedStore tells ${error.name} without the path, and that it is over`, async (t) => {
    const lines: string[] = [];
    const log = { ...silentLogger };
    log.error = (text, fields) => void lines.push(`${text}: ${JSON.stringify(fields)}`);
    log.info = (text) => void lines.push(text);
    const below = memoryStore();
    t.after(() => below.close());
    const store = guardedStore(below, log);
    const put = () => store.write([{ key: '/a', value: new Uint8Array(1), expect: 'any' }]);
    const failing = t.mock.method(below, 'write', () => Promise.reject(error));
    for (let i = 0; i < 2; i++) {
      await assert.rejects(put(), (told: unknown) => {
        assert.ok(told instanceof StatusError);
        assert.deepEqual([told.code, told.reason], [503, 'ServiceUnavailable']);
        assert.match(told.message, message);
        assert.doesNotMatch(told.message, /\/data/);
        return true;
      });
    }
    assert.equal(store.problem(), error);
    assert.deepEqual([isLost(store.problem()), isBroken(store.problem())], [lost, broken]);
    failing.mock.restore();
    assert.equal((await put()).revision, 2);
    assert.equal(store.problem(), undefined);
    assert.equal(lines.length, 2);
    assert.match(lines[0] ?? '', /cannot be written.*\/data\/state\.db/);
    assert.equal(lines[1], 'the store can be written again');
  });
}
