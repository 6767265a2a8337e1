import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@kubernode/api/core/v1';
import { contendedStore } from '../../contended-testing.ts';
import { startSecured } from '../../secured-testing.ts';

const core = '/api/v1/namespaces/default';

test('deleteObject answers with what it has marked where somebody else was faster to remove it', async (t) => {
  const store = contendedStore('/pods/default/p');
  const { server, admin, create } = await startSecured({ store });
  t.after(() => server.stop());
  await create(`${core}/serviceaccounts`, { metadata: { name: 'default' } });
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  const made = await create<Pod>(`${core}/pods`, { metadata: { name: 'p' }, spec });
  let marked = 0;
  store.interferences.push(
    (others, key, there) => {
      marked = there!.revision;
      return others.write([{ key, expect: 'any' }]);
    },
    () => Promise.resolve(),
  );
  const deleted = await admin.request<Pod>({ method: 'DELETE', path: `${core}/pods/p` });
  assert.ok(marked > Number(made.metadata.resourceVersion));
  assert.deepEqual([deleted.metadata.uid, deleted.metadata.resourceVersion], [made.metadata.uid, String(marked)]);
});
