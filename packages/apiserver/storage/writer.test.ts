import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { isReason } from '@kubernode/api';
import type { ConfigMap } from '@kubernode/api/core/v1';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { contendedStore, touch } from '../contended-testing.ts';
import { startApiServer } from '../server.ts';

const path = '/api/v1/namespaces/default/configmaps';

async function startContended(t: TestContext) {
  const store = contendedStore('/contended');
  const options = { clock: new FakeClock(), log: silentLogger, random: seededRandom(7) };
  const server = await startApiServer({ store, ...options });
  t.after(() => server.stop());
  const transport = server.transport('system:admin');
  const body = { metadata: { name: 'contended' }, data: { a: 'kept' } };
  const made = await transport.request<ConfigMap>({ method: 'POST', path, body });
  const patch = (signal?: AbortSignal) =>
    transport.request<ConfigMap>({
      method: 'PATCH',
      path: `${path}/contended`,
      body: { data: { b: 'added' } },
      contentType: 'application/merge-patch+json',
      ...(signal && { signal }),
    });
  return { interferences: store.interferences, made, patch };
}

test('Writer tries a change again however often others were faster', async (t) => {
  const { interferences, made, patch } = await startContended(t);
  interferences.push(...Array.from({ length: 50 }, () => touch));
  const patched = await patch();
  assert.equal(interferences.length, 0);
  assert.deepEqual(patched.data, { a: 'kept', b: 'added' });
  assert.equal(Number(patched.metadata.resourceVersion), Number(made.metadata.resourceVersion) + 51);
});

test('Writer tries no change again that nobody waits for any more', async (t) => {
  const { interferences, patch } = await startContended(t);
  const client = new AbortController();
  interferences.push(touch, touch, (...at) => {
    client.abort();
    return touch(...at);
  });
  await assert.rejects(patch(client.signal), (error) => isReason(error, 'ServerTimeout'));
  assert.equal(interferences.length, 2);
});
