import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceQuota } from '@kubernode/api/core/v1';
import { contendedStore, touch } from '../../contended-testing.ts';
import { startSecured } from '../../secured-testing.ts';

const core = '/api/v1/namespaces/default';

test('ResourceQuota books what it allows though others change the quota all the time', async (t) => {
  const store = contendedStore('/resourcequotas/default/q');
  const { server, admin, create } = await startSecured({ store });
  t.after(() => server.stop());
  const path = `${core}/resourcequotas/q`;
  const hard = { 'count/configmaps': '3' };
  await create(`${core}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } });
  const status = { hard, used: { 'count/configmaps': '1' } };
  const contentType = 'application/merge-patch+json';
  await admin.request({ method: 'PATCH', path: `${path}/status`, body: { status }, contentType });
  store.interferences.push(...Array.from({ length: 12 }, () => touch));
  await create(`${core}/configmaps`, { metadata: { name: 'counted' } });
  assert.equal(store.interferences.length, 0);
  const quota = await admin.request<ResourceQuota>({ method: 'GET', path });
  assert.deepEqual(quota.status?.used, { 'count/configmaps': '2' });
});
