import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { startApiServer } from '../server.ts';

test('writeResponse streams a list that is long, also compressed', async (t) => {
  const server = await startApiServer({
    store: memoryStore(),
    clock: new FakeClock(),
    log: silentLogger,
    random: () => 0.5,
    listen: { host: '127.0.0.1', port: 0 },
  });
  t.after(() => server.stop());
  const collection = `${server.url}/api/v1/namespaces/default/configmaps`;
  const value = 'v'.repeat(900_000);
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const name of names) {
    const body = JSON.stringify({ metadata: { name }, data: { value } });
    const made = await fetch(collection, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    assert.equal(made.status, 201);
  }
  const plain = await fetch(collection, { headers: { 'accept-encoding': 'identity' } });
  const text = await plain.text();
  assert.equal(Number(plain.headers.get('content-length')), Buffer.byteLength(text));
  const list = JSON.parse(text) as { kind: string; items: { metadata: { name: string }; data: { value: string } }[] };
  assert.equal(list.kind, 'ConfigMapList');
  assert.deepEqual(
    list.items.map(({ metadata }) => metadata.name),
    names,
  );
  assert.ok(list.items.every(({ data }) => data.value === value));
  const packed = await fetch(collection, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(packed.headers.get('content-encoding'), 'gzip');
  // fetch has unpacked it already.
  assert.equal(await packed.text(), text);
  for (const encoding of ['identity', 'gzip']) {
    const answer = await fetch(`${collection}?limit=2`, { headers: { 'accept-encoding': encoding } });
    const page = (await answer.json()) as typeof list;
    assert.deepEqual(page.items, list.items.slice(0, 2), encoding);
  }
  const none = await fetch(`${collection}?labelSelector=none`);
  assert.deepEqual(((await none.json()) as typeof list).items, []);
});
