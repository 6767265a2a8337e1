import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { Compacted, FutureRevision, SlowWatcher, StoreClosed } from './errors.ts';
import { prefixRange, type Change, type Entry, type Range, type Store, type StoreEvent } from './store.ts';

export interface ConformanceOptions {
  /** A new, empty store whose watchers may fall behind by `watcherQueueMax` events; closed by the suite. */
  readonly open: (t: TestContext, options: { readonly watcherQueueMax: number }) => Promise<Store>;
}

const watcherQueueMax = 100;
const all: Range = { from: '', to: '\u{10ffff}' };

/** What every store guarantees, whatever keeps it. */
export function storeConformance(name: string, { open }: ConformanceOptions): void {
  void suite(name, () => {
    for (const [title, run] of Object.entries({ ...writing, ...reading, ...watching, ...compacting, ...ending })) {
      void test(`${name} ${title}`, async (t) => {
        const store = await open(t, { watcherQueueMax });
        try {
          await run(store);
        } finally {
          await store.close();
        }
      });
    }
  });
}

type Case = (store: Store) => Promise<void>;
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined) => (value ? new TextDecoder().decode(value) : undefined);
const put = (key: string, value = key, expect: Change['expect'] = 'any'): Change => ({
  key,
  value: bytes(value),
  expect,
});
const remove = (key: string, expect: Change['expect'] = 'any'): Change => ({ key, expect });
const keysOf = (entries: readonly Entry[]) => entries.map((entry) => entry.key);

async function written(store: Store, ...changes: Change[]): Promise<number> {
  const result = await store.write(changes);
  assert.equal(result.ok, true);
  return result.revision;
}

function told(event: StoreEvent): string {
  if (event.type === 'delete') return `${event.revision} delete ${event.key} was ${text(event.previous.value)}`;
  const { key, value, revision, created } = event.entry;
  return `${revision} put ${key}=${text(value)} created ${created} was ${text(event.previous?.value)}`;
}

/** The first `count` events after `after`. */
async function events(store: Store, range: Range, after: number, count: number): Promise<string[]> {
  const abort = new AbortController();
  const result: string[] = [];
  if (count === 0) return result;
  for await (const batch of store.watch(range, after, abort.signal)) {
    result.push(...batch.map(told));
    if (result.length >= count) abort.abort();
  }
  return result;
}

const writing: Record<string, Case> = {
  async 'write makes one revision for all its changes, starting after 1'(store) {
    assert.equal(await store.revision(), 1);
    assert.equal(await written(store, put('a'), put('b')), 2);
    assert.equal(await written(store, put('a', 'new')), 3);
    assert.equal(await store.revision(), 3);
    const [a, b] = [await store.get('a'), await store.get('b')];
    assert.deepEqual([a?.revision, a?.created, text(a?.value)], [3, 2, 'new']);
    assert.deepEqual([b?.revision, b?.created, text(b?.value)], [2, 2, 'b']);
  },

  async 'write keeps to what each change expects, all or none'(store) {
    const revision = await written(store, put('a'));
    const table: readonly [Change, boolean][] = [
      [put('a', 'x', 'absent'), false],
      [put('a', 'x', revision - 1), false],
      [put('b', 'x', revision), false],
      [remove('a', revision + 1), false],
      [put('a', 'x', revision), true],
      [put('b', 'x', 'absent'), true],
      [remove('b', 'any'), true],
      [put('b', 'x', 'absent'), true],
    ];
    for (const [change, ok] of table) {
      const result = await store.write([put('other'), change]);
      assert.equal(result.ok, ok, JSON.stringify(change));
      if (result.ok) continue;
      assert.equal(result.key, change.key);
      assert.deepEqual(result.current, await store.get(change.key));
      assert.equal(await store.get('other'), undefined);
      assert.equal(result.revision, revision);
    }
  },

  async 'write settles many at once, each on its own'(store) {
    const changes = Array.from({ length: 200 }, (_, i) => put(`k${i % 50}`, `v${i}`, 'absent'));
    const results = await Promise.all(changes.map((change) => store.write([change])));
    const won = results.filter((result) => result.ok);
    assert.equal(won.length, 50);
    assert.equal(new Set(won.map((result) => result.revision)).size, 50);
    for (const result of results) if (!result.ok) assert.equal(result.current?.key, result.key);
    assert.equal(await store.revision(), 51);
  },

  async 'write of nothing, or a deletion of what is not there, makes no revision'(store) {
    const revision = await written(store, put('a'));
    assert.equal(await written(store), revision);
    assert.equal(await written(store, remove('missing')), revision);
    assert.equal(await store.revision(), revision);
  },

  async 'write refuses the same key twice'(store) {
    await assert.rejects(store.write([put('a'), put('a')]), /same key/);
  },

  async 'write keeps bytes and keys as they are'(store) {
    const value = Uint8Array.from({ length: 256 }, (_, i) => i);
    await store.write([
      { key: '/ü/\u{1f600}', value, expect: 'absent' },
      { key: 'empty', value: new Uint8Array(), expect: 'absent' },
      { key: 'large', value: new Uint8Array(1_500_000).fill(7), expect: 'absent' },
    ]);
    assert.deepEqual(new Uint8Array((await store.get('/ü/\u{1f600}'))!.value), value);
    assert.equal((await store.get('empty'))?.value.byteLength, 0);
    assert.equal((await store.get('large'))?.value[1_499_999], 7);
  },
};

const reading: Record<string, Case> = {
  async 'list answers in byte order, in pages, with what remains'(store) {
    const keys = ['/b/\u{1f600}', '/b/\uff00', '/b/a', '/b/B', '/b/10', '/b/9', '/a/x', '/c/x', '/b', '/b0'];
    for (const key of keys) await written(store, put(key));
    const range = prefixRange('/b/');
    const sorted = ['/b/10', '/b/9', '/b/B', '/b/a', '/b/\uff00', '/b/\u{1f600}'];
    const whole = await store.list(range);
    assert.deepEqual(keysOf(whole.entries), sorted);
    assert.deepEqual([whole.revision, whole.remaining], [11, 0]);
    const page = await store.list(range, { limit: 2 });
    assert.deepEqual([keysOf(page.entries), page.remaining], [sorted.slice(0, 2), 4]);
    const next = { from: `${sorted[1]}\0`, to: range.to };
    const rest = await store.list(next, { at: page.revision, limit: 4 });
    assert.deepEqual([keysOf(rest.entries), rest.remaining], [sorted.slice(2), 0]);
    for (const [limit, isMore] of [
      [0, true],
      [3, true],
      [4, false],
    ] as const) {
      const uncounted = await store.list(next, { at: page.revision, limit, isCounted: false });
      assert.deepEqual([keysOf(uncounted.entries), uncounted.remaining > 0], [sorted.slice(2, 2 + limit), isMore]);
    }
  },

  async 'get and list read at a revision'(store) {
    await written(store, put('a', 'a1'), put('b', 'b1'));
    await written(store, put('a', 'a2'));
    await written(store, remove('b'), put('c', 'c1'));
    await written(store, put('b', 'b2'));
    const states: Record<string, string>[] = [
      {},
      { a: 'a1', b: 'b1' },
      { a: 'a2', b: 'b1' },
      { a: 'a2', c: 'c1' },
      { a: 'a2', b: 'b2', c: 'c1' },
    ];
    for (const [index, state] of states.entries()) {
      const at = index + 1;
      const page = await store.list(all, { at });
      assert.deepEqual(Object.fromEntries(page.entries.map((entry) => [entry.key, text(entry.value)])), state);
      assert.equal(page.revision, at);
      for (const key of ['a', 'b', 'c']) assert.equal(text((await store.get(key, at))?.value), state[key]);
    }
    const recreated = await store.get('b');
    assert.deepEqual([recreated?.revision, recreated?.created], [5, 5]);
  },

  async 'list of many is complete while others write'(store) {
    for (let i = 0; i < 30; i++) {
      await written(store, ...Array.from({ length: 100 }, (_, j) => put(`/l/${String(i * 100 + j).padStart(5, '0')}`)));
    }
    const listing = store.list(prefixRange('/l/'));
    await Promise.all([written(store, remove('/l/02999')), written(store, put('/l/x'))]);
    const page = await listing;
    const at = page.revision;
    assert.equal(page.entries.length, at === 31 ? 3_000 : at === 32 ? 2_999 : 3_000);
    assert.equal((await store.list(prefixRange('/l/'), { limit: 1_500 })).remaining, 1_500);
  },

  async 'get and list refuse a revision to come'(store) {
    await assert.rejects(store.get('a', 2), FutureRevision);
    await assert.rejects(store.list(all, { at: 2 }), FutureRevision);
  },
};

const watching: Record<string, Case> = {
  async 'watch tells the past, then the present, without a gap'(store) {
    await written(store, put('/w/a', '1'));
    await written(store, put('/other', '1'));
    const watched = events(store, prefixRange('/w/'), 1, 4);
    await written(store, put('/w/a', '2'), put('/w/b', '1'));
    await new Promise(setImmediate);
    await written(store, put('/other', '2'));
    await written(store, remove('/w/a'));
    assert.deepEqual(await watched, [
      '2 put /w/a=1 created 2 was undefined',
      '4 put /w/a=2 created 2 was 1',
      '4 put /w/b=1 created 4 was undefined',
      '6 delete /w/a was 2',
    ]);
    assert.deepEqual((await events(store, all, 3, 4)).slice(2), [
      '5 put /other=2 created 3 was 1',
      '6 delete /w/a was 2',
    ]);
  },

  async 'watch keeps the events of a revision together'(store) {
    const abort = new AbortController();
    const batches: number[][] = [];
    const reading = (async () => {
      for await (const batch of store.watch(all, 1, abort.signal)) {
        batches.push(batch.map((event) => (event.type === 'put' ? event.entry.revision : event.revision)));
        if (batches.flat().length === 60) abort.abort();
      }
    })();
    for (let i = 0; i < 20; i++) await written(store, put('a'), put('b'), put('c'));
    await reading;
    for (const batch of batches) assert.equal(batch.length % 3, 0);
    assert.deepEqual(
      batches.flat(),
      batches.flat().toSorted((a, b) => a - b),
    );
  },

  async 'watch of a revision to come waits for it'(store) {
    const watched = events(store, all, 3, 1);
    for (const key of ['a', 'b', 'c', 'd']) await written(store, put(key));
    assert.equal((await watched)[0], '4 put c=c created 4 was undefined');
  },

  async 'changes tells what happened between two revisions'(store) {
    await written(store, put('/w/a', '1'));
    await written(store, put('/w/a', '2'), put('/other'));
    await written(store, remove('/w/a'));
    await written(store, put('/w/b', '1'));
    const seen: StoreEvent[] = [];
    for await (const batch of store.changes(prefixRange('/w/'), 2, 4)) seen.push(...batch);
    assert.deepEqual(seen.map(told), ['3 put /w/a=2 created 2 was 1', '4 delete /w/a was 2']);
    for await (const _ of store.changes(all, 5, 5)) assert.fail('nothing happened');
    await store.compact(3);
    await assert.rejects(async () => {
      for await (const _ of store.changes(all, 2, 4)) continue;
    }, Compacted);
  },

  async 'watch ends when its signal aborts'(store) {
    const abort = new AbortController();
    const reading = (async () => {
      for await (const _ of store.watch(all, 1, abort.signal)) return 'event';
      return 'ended';
    })();
    await new Promise(setImmediate);
    abort.abort();
    assert.equal(await reading, 'ended');
    for await (const _ of store.watch(all, 1, AbortSignal.abort())) assert.fail('an event after the abort');
  },

  async 'watch drops a reader that falls behind, and only that one'(store) {
    const abort = new AbortController();
    const slow = store.watch(all, 1, abort.signal)[Symbol.asyncIterator]();
    const first = slow.next();
    const quick = events(store, all, 1, 2 * watcherQueueMax + 1);
    for (let i = 0; i <= 2 * watcherQueueMax; i++) await written(store, put(`k${i}`));
    await first;
    await assert.rejects(async () => {
      while (!(await slow.next()).done);
    }, SlowWatcher);
    assert.equal((await quick).length, 2 * watcherQueueMax + 1);
  },
};

const compacting: Record<string, Case> = {
  async 'compact forgets the past and keeps the present'(store) {
    for (let i = 2; i <= 11; i++) await written(store, put('a', `a${i}`), i === 5 ? remove('b') : put('b', `b${i}`));
    await written(store, remove('b'));
    await store.compact(8);
    await assert.rejects(store.get('a', 7), Compacted);
    await assert.rejects(store.list(all, { at: 7 }), Compacted);
    await assert.rejects(events(store, all, 7, 1), Compacted);
    for (let at = 8; at <= 11; at++) assert.equal(text((await store.get('a', at))?.value), `a${at}`);
    assert.equal((await events(store, all, 8, 7)).length, 7);
    await store.compact(12);
    assert.deepEqual(keysOf((await store.list(all)).entries), ['a']);
    assert.equal(text((await store.get('a'))?.value), 'a11');
    assert.equal(await store.revision(), 12);
    assert.equal(await written(store, put('b', 'again')), 13);
    assert.equal((await store.get('b'))?.created, 13);
  },

  async 'compact is idempotent and refuses a revision to come'(store) {
    await written(store, put('a'));
    await store.compact(2);
    await store.compact(1);
    await store.compact(2);
    await assert.rejects(store.compact(3), FutureRevision);
  },
};

const ending: Record<string, Case> = {
  async 'close makes what was begun, ends watches and refuses what comes after'(store) {
    const watched = assert.rejects(events(store, all, 1, 100), StoreClosed);
    await new Promise(setImmediate);
    const last = store.write([put('a')]);
    await store.close();
    assert.equal((await last).ok, true);
    await watched;
    await assert.rejects(store.get('a'), StoreClosed);
    await assert.rejects(store.list(all), StoreClosed);
    await assert.rejects(store.write([put('a')]), StoreClosed);
    await assert.rejects(events(store, all, 1, 1), StoreClosed);
    await store.close();
  },
};
