/** A disk that is slow to say that it is full: what waits for it is bounded, and everybody else is served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { boundStore, memoryStore, StoreFull, type Store } from '@kubernode/store';
import { startApiServer } from '../server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

/** A store whose writes of ConfigMaps wait until `answer` is called, and fail while the disk is full. */
function slowDisk() {
  const store = memoryStore();
  const waiting: (() => void)[] = [];
  const disk = { isFull: false, waiting };
  const slow: Store = {
    ...boundStore(store),
    async write(changes) {
      if (disk.isFull && changes.some(({ key }) => key.includes('/configmaps/'))) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        if (disk.isFull) throw new StoreFull('/data/state.db');
      }
      return store.write(changes);
    },
  };
  const answer = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { slow, disk, answer };
}

test('a disk that is slow and full holds as many writes as there are seats, and nobody who reads', async (t) => {
  const { slow, disk, answer } = slowDisk();
  const clock = new FakeClock();
  const groups = (name: string) => [name === 'root' ? 'system:masters' : 'system:authenticated'];
  const security = () => ({
    authenticate: ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) => {
      const name = String(headers['x-user']);
      return { name, groups: groups(name) };
    },
    authorize: () => ({ allowed: true }) as const,
    admission: [],
  });
  const server = await startApiServer({
    store: slow,
    clock,
    log: silentLogger,
    random: seededRandom(1),
    // All of them are those of the level catch-all, which has no queue.
    requestLimits: { readsInFlightMax: 4, writesInFlightMax: 2 },
    security,
    listen: { host: '127.0.0.1', port: 0 },
  });
  t.after(() => server.stop());
  const send = async (user: string, name?: string) => {
    const body = name === undefined ? {} : { method: 'POST', body: JSON.stringify({ metadata: { name } }) };
    const headers = { 'x-user': user, 'content-type': 'application/json' };
    const response = await fetch(server.url + configMaps, { ...body, headers });
    return { code: response.status, text: await response.text() };
  };
  assert.equal((await send('jane', 'before')).code, 201);
  disk.isFull = true;
  const onDisk = () => disk.waiting.length;
  const told: { readonly code: number; readonly text: string }[] = [];
  const writes = Array.from({ length: 20 }, async (_, index) => void told.push(await send('jane', `w${index}`)));
  while (onDisk() + told.length < 20) await setImmediate();
  assert.equal(onDisk(), 6);
  assert.deepEqual(new Set(told.map(({ code }) => code)), new Set([429]));
  // Administrators read, and may write beside them.
  assert.match((await send('root')).text, /"before"/);
  // Who waits is told after its time; what the disk was asked for is still under way, and so is its seat.
  for (; told.length < 20; await setImmediate()) await clock.advance(60_000);
  assert.equal(told.filter(({ code }) => code === 504).length, 6);
  assert.equal((await send('jane', 'again')).code, 429);
  answer();
  await Promise.all(writes);
  const refused = send('jane', 'late');
  while (onDisk() === 0) await setImmediate();
  answer();
  const { code, text } = await refused;
  assert.equal(code, 503);
  assert.match(text, /the disk is full: free some space/);
  disk.isFull = false;
  assert.equal((await send('jane', 'after')).code, 201);
  const { items } = JSON.parse((await send('jane')).text) as {
    readonly items: readonly { metadata: { name: string } }[];
  };
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name).sort((a, b) => (a < b ? -1 : 1)),
    ['after', 'before'],
  );
});
