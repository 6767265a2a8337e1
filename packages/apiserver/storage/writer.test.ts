import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigMap } from '@kubernode/api/core/v1';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { boundStore, memoryStore, type Store } from '@kubernode/store';
import { startApiServer } from '../server.ts';

const path = '/api/v1/namespaces/default/configmaps';

/** A store in which somebody else changes an object right before each of the next `losses` writes of it. */
function contendedStore(name: string) {
  const memory = memoryStore();
  const contention = { losses: 0 };
  const store: Store = {
    ...boundStore(memory),
    async write(changes) {
      const [change] = changes;
      if (contention.losses > 0 && change?.key.endsWith(`/${name}`)) {
        contention.losses -= 1;
        const there = await memory.get(change.key);
        await memory.write([{ key: change.key, value: there!.value, expect: 'any' }]);
      }
      return memory.write(changes);
    },
  };
  return { store, contention };
}

test('Writer tries a change again however often others were faster', async (t) => {
  const { store, contention } = contendedStore('contended');
  const options = { clock: new FakeClock(), log: silentLogger, random: seededRandom(7) };
  const server = await startApiServer({ store, ...options });
  t.after(() => server.stop());
  const transport = server.transport('system:admin');
  const made = await transport.request<ConfigMap>({
    method: 'POST',
    path,
    body: { metadata: { name: 'contended' }, data: { a: 'kept' } },
  });
  contention.losses = 50;
  const patched = await transport.request<ConfigMap>({
    method: 'PATCH',
    path: `${path}/contended`,
    body: { data: { b: 'added' } },
    contentType: 'application/merge-patch+json',
  });
  assert.equal(contention.losses, 0);
  assert.deepEqual(patched.data, { a: 'kept', b: 'added' });
  assert.equal(Number(patched.metadata.resourceVersion), Number(made.metadata.resourceVersion) + 51);
});
