import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreFull } from './errors.ts';
import { openSqliteStore } from './sqlite.ts';

/** What `disk-full.e2e.test.ts` runs on a disk of a few megabytes, given as argument. */
const directory = process.argv[2] ?? '';
const filler = join(directory, 'filler');
const store = await openSqliteStore({ path: join(directory, 'state.db') });
const write = (key: string) => store.write([{ key, value: Buffer.alloc(10_000, key), expect: 'absent' }]);

const rounds = 3;
/** For the copy of the WAL into the file at the end. */
const spare = 4;
const spaceBytes = 1_000_000;
writeFileSync(filler, Buffer.alloc((rounds + spare) * spaceBytes));

let revision = 1;
for (let round = 0; round < rounds; round++) {
  const failure = await (async () => {
    for (let i = 0; i < 1_000; i++) revision = (await write(`/r${round}/${i}`)).revision;
  })().catch((error: unknown) => error);
  assert.ok(failure instanceof StoreFull, String(failure));
  assert.match(failure.message, /the disk is full: free some space, then writes work again/);
  assert.equal(await store.revision(), revision);
  assert.equal((await store.get(`/r0/0`))?.value.byteLength, 10_000);
  assert.equal((await store.list({ from: '/', to: '0' })).entries.length, revision - 1);
  truncateSync(filler, (rounds + spare - 1 - round) * spaceBytes);
  revision = (await write(`/after/${round}`)).revision;
}
await store.close();

truncateSync(filler);
const again = await openSqliteStore({ path: join(directory, 'state.db') });
assert.equal(await again.revision(), revision);
await again.close();
console.log('ok');
