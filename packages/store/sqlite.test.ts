import assert from 'node:assert/strict';
import {
  closeSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { storeConformance } from './conformance.ts';
import { StoreInUse, StoreMissing, StoreNotWritable, StoreUnusable } from './errors.ts';
import { startSpareThread } from './sqlite-thread.ts';
import { openSqliteStore } from './sqlite.ts';
import { prefixRange } from './store.ts';

function temporaryPath(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'kubernode-store-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return join(directory, 'state.db');
}

storeConformance('openSqliteStore', {
  open: (t, options) => openSqliteStore({ path: temporaryPath(t), ...options }),
});

test('openSqliteStore finds everything again', async (t) => {
  const path = temporaryPath(t);
  const first = await openSqliteStore({ path });
  for (let i = 0; i < 10; i++) await first.write([{ key: `/a/${i}`, value: Buffer.from(`${i}`), expect: 'absent' }]);
  await first.write([{ key: '/a/3', expect: 'any' }]);
  await first.compact(12);
  await first.close();
  const second = await openSqliteStore({ path });
  t.after(() => second.close());
  assert.equal(await second.revision(), 12);
  assert.equal((await second.list(prefixRange('/a/'))).entries.length, 9);
});

test('openSqliteStore takes the thread that startSpareThread has started', async (t) => {
  let threads = 0;
  const count = () => void (threads += 1);
  subscribe('worker_threads', count);
  t.after(() => unsubscribe('worker_threads', count));
  startSpareThread();
  startSpareThread();
  assert.equal(threads, 1);
  const stores = [await openSqliteStore({ path: temporaryPath(t) })];
  assert.equal(threads, 1);
  stores.push(await openSqliteStore({ path: temporaryPath(t) }));
  assert.equal(threads, 2);
  for (const store of stores) {
    await store.write([{ key: '/a', value: Buffer.from('1'), expect: 'absent' }]);
    await store.close();
  }
});

test('openSqliteStore refuses a database in use and names the process', async (t) => {
  const path = temporaryPath(t);
  const store = await openSqliteStore({ path });
  await assert.rejects(openSqliteStore({ path }), (error: unknown) => {
    assert.ok(error instanceof StoreInUse);
    assert.equal(error.pid, process.pid);
    assert.match(error.message, /in use by process \d+: stop it first, or choose another data directory/);
    return true;
  });
  await store.close();
  await (await openSqliteStore({ path })).close();
});

test('openSqliteStore refuses what is not its database, and says what to do', async (t) => {
  const table: readonly [string, (path: string) => void, RegExp][] = [
    ['text', (path) => writeFileSync(path, 'no database at all, but long enough'.repeat(50)), /restore a backup/],
    [
      'newer',
      (path) => change(path, 'pragma user_version = 99'),
      /has version 99, this program knows versions up to 1/,
    ],
    ['foreign', (path) => change(path, 'pragma application_id = 7'), /not one of kubernode/],
    ['truncated', (path) => truncateSync(path, statSync(path).size / 2), /damaged/],
    ['overwritten', (path) => overwrite(path, 2 * 4_096), /damaged/],
    ['ahead', (path) => change(path, "insert into log values (40960000, 'a', x'00', 1, 0)"), /damaged/],
  ];
  for (const [name, spoil, message] of table) {
    const path = temporaryPath(t);
    if (name !== 'text') await fill(path);
    spoil(path);
    await assert.rejects(openSqliteStore({ path }), (error: unknown) => {
      assert.ok(error instanceof StoreUnusable, `${name}: ${String(error)}`);
      assert.match(error.message, message);
      return true;
    });
  }
});

async function fill(path: string): Promise<void> {
  const store = await openSqliteStore({ path });
  for (let i = 0; i < 50; i++) await store.write([{ key: `k${i}`, value: new Uint8Array(1_000), expect: 'any' }]);
  await store.close();
}

function overwrite(path: string, offset: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4_096, 0xff), 0, 4_096, offset);
  closeSync(file);
}

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

test('openSqliteStore says that its directory is missing', async (t) => {
  await assert.rejects(
    openSqliteStore({ path: join(temporaryPath(t), 'missing', 'state.db') }),
    /check that the directory/,
  );
});

test('openSqliteStore writes to no file that was taken away, and goes on when it is back', async (t) => {
  const path = temporaryPath(t);
  const store = await openSqliteStore({ path });
  t.after(() => store.close());
  const put = (key: string) => store.write([{ key, value: new Uint8Array(10), expect: 'absent' }]);
  await put('a');
  for (const file of [path, `${path}-wal`]) {
    renameSync(file, `${file}.away`);
    await assert.rejects(put('b'), StoreMissing);
    writeFileSync(file, 'another one');
    await assert.rejects(put('b'), /"state.db(-wal)?" was taken away or replaced while in use: put it back as it was/);
    assert.equal((await store.list(prefixRange('a'))).entries.length, 1);
    renameSync(`${file}.away`, file);
  }
  assert.deepEqual(await put('b'), { ok: true, revision: 3 });
});

test('openSqliteStore says that another process keeps it from writing, and tries again', async (t) => {
  const path = temporaryPath(t);
  const store = await openSqliteStore({ path });
  t.after(() => store.close());
  const put = (key: string) => store.write([{ key, value: new Uint8Array(10), expect: 'absent' }]);
  await put('a');
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  await assert.rejects(put('b'), (error: unknown) => {
    assert.ok(error instanceof StoreNotWritable, String(error));
    assert.match(error.why, /another process holds its lock/);
    return true;
  });
  other.close();
  assert.deepEqual(await put('b'), { ok: true, revision: 3 });
});

test('openSqliteStore keeps its file small through compaction', async (t) => {
  const path = temporaryPath(t);
  const store = await openSqliteStore({ path });
  t.after(() => store.close());
  const value = new Uint8Array(4_000);
  const sizes: number[] = [];
  for (let round = 0; round < 4; round++) {
    const writes = Array.from({ length: 500 }, (_, i) => store.write([{ key: `k${i % 20}`, value, expect: 'any' }]));
    await Promise.all(writes);
    await store.compact(await store.revision());
    sizes.push(statSync(path).size + statSync(`${path}-wal`).size);
  }
  assert.ok(Math.max(...sizes) < 500_000, `sizes ${sizes.join(', ')}`);
});

test('openSqliteStore backs up while writes go on', async (t) => {
  const path = temporaryPath(t);
  const store = await openSqliteStore({ path });
  t.after(() => store.close());
  for (let i = 0; i < 100; i++) await store.write([{ key: `k${i}`, value: new Uint8Array(100), expect: 'any' }]);
  const writing = Promise.all(
    Array.from({ length: 50 }, (_, i) => store.write([{ key: `n${i}`, value: new Uint8Array(100), expect: 'any' }])),
  );
  await store.backup(`${path}.backup`);
  await writing;
  await assert.rejects(store.backup(`${path}.backup`), /the file exists, expected a new one/);
  const copy = await openSqliteStore({ path: `${path}.backup` });
  const entries = (await copy.list({ from: '', to: 'z' })).entries.length;
  assert.equal(await copy.revision(), entries + 1);
  assert.ok(entries >= 100);
  await copy.close();
});
