import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ConfigMap } from '@kubernode/api/core/v1';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { startApiServer } from '../server.ts';
import { decodedPerTurnMax, readAhead } from './read-ahead.ts';
import { ResourceCache } from './resource-cache.ts';
import { StoredObject } from './stored-object.ts';

const prefix = '/registry/core/pods/';
const count = 2_000;

/** The most that was decoded between two looks, of which one may fall between two turns, and all that was. */
async function decodedBy(work: () => Promise<unknown>): Promise<{ most: number; all: number }> {
  const start = StoredObject.decodedCount;
  let [most, before, isOver] = [0, start, false];
  const ended = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await setImmediate();
    most = Math.max(most, StoredObject.decodedCount - before);
    before = StoredObject.decodedCount;
  }
  await ended;
  return { most, all: StoredObject.decodedCount - start };
}

function undecoded(): ResourceCache {
  const cache = new ResourceCache(prefix, 0);
  for (let index = 0; index < count; index += 1) {
    const key = `${prefix}a/p-${String(index).padStart(4, '0')}`;
    const text = `{"metadata":{"resourceVersion":"1","labels":{"odd":"${index % 2}"}}}`;
    cache.objects.set(new StoredObject({ key, namespace: 'a' }, 1, Buffer.from(text)));
  }
  return cache;
}

const odd = { namespace: '', name: '', matches: ({ labels }: StoredObject) => labels['odd'] === '1' };

test('readAhead decodes some objects a turn, each once', async () => {
  const candidates = { cache: undecoded(), selection: odd, limit: 0, after: '' };
  const { most, all } = await decodedBy(() => readAhead(candidates));
  assert.equal(all, count);
  assert.ok(most <= 2 * decodedPerTurnMax, `${most} at a time`);
  assert.equal((await decodedBy(() => readAhead(candidates))).all, 0);
});

test('readAhead reads as far as a page goes', async () => {
  const cache = undecoded();
  const page = { cache, selection: odd, limit: 10, after: '' };
  assert.equal((await decodedBy(() => readAhead(page))).all, 22);
  assert.equal((await decodedBy(() => readAhead({ ...page, after: 'a/p-0019' }))).all, 20);
  assert.equal((await decodedBy(() => readAhead({ ...page, selection: { ...odd, matches: undefined } }))).all, 0);
});

test('a list or a watch by labels leaves others their turns, also when nothing was decoded before', async (t) => {
  const common = { clock: new FakeClock(), log: silentLogger, random: seededRandom(1), compactionIntervalMs: 0 };
  const store = memoryStore();
  const path = '/api/v1/namespaces/default/configmaps';
  const changes = Array.from({ length: 1_000 }, (_, index) => {
    const metadata = `{"name":"c-${index}","namespace":"default","resourceVersion":"0","labels":{"n":"${index}"}}`;
    const value = Buffer.from(`{"kind":"ConfigMap","apiVersion":"v1","metadata":${metadata}}`);
    return { key: `/registry/core/configmaps/default/c-${index}`, value, expect: 'absent' } as const;
  });
  await store.write(changes);
  for (const kind of ['list', 'watch'] as const) {
    const server = await startApiServer({ ...common, store });
    t.after(() => server.stop());
    const reader = server.transport('system:admin');
    // What it looks at when it starts, it has looked at.
    await reader.request({ method: 'GET', path: `${path}/c-1` });
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    const abort = new AbortController();
    const read = async () => {
      const query = { labelSelector: 'n=7' };
      if (kind === 'list') return reader.request({ method: 'GET', path, query });
      const request = { method: 'GET', path, query: { ...query, watch: true }, signal: abort.signal } as const;
      for await (const batch of reader.watch<ConfigMap>(request)) if (batch.length > 0) abort.abort();
    };
    const { most, all } = await decodedBy(read);
    assert.ok(all >= 999, `${all} of a ${kind}`);
    assert.ok(most <= 2 * decodedPerTurnMax + 10, `${most} of a ${kind}`);
  }
});
