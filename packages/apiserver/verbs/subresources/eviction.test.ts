import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { isReason } from '@kubernode/api';
import type { Pod } from '@kubernode/api/core/v1';
import { contendedStore } from '../../contended-testing.ts';
import { startSecured } from '../../secured-testing.ts';

const core = '/api/v1/namespaces/default';
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

/** A pod whose budget allows nothing, though it has more healthy pods than it needs. */
async function startWithPod(t: TestContext, status: object) {
  const store = contendedStore('/pods/default/p');
  const { server, admin, create } = await startSecured({ store });
  t.after(() => server.stop());
  await create(`${core}/serviceaccounts`, { metadata: { name: 'default' } });
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
  await create(`${core}/pods`, { metadata: { name: 'p', labels: { app: 'a' } }, spec });
  await create(budgets, { metadata: { name: 'b' }, spec: { selector: { matchLabels: { app: 'a' } } } });
  const setStatus = (path: string, value: object) =>
    admin.request({
      method: 'PATCH',
      path: `${path}/status`,
      body: { status: value },
      contentType: 'application/merge-patch+json',
    });
  await setStatus(`${core}/pods/p`, status);
  await setStatus(`${budgets}/b`, { observedGeneration: 1, currentHealthy: 3, desiredHealthy: 2 });
  const evict = (preconditions?: object) =>
    create(`${core}/pods/p/eviction`, { metadata: { name: 'p' }, deleteOptions: { preconditions } });
  const pod = () => admin.request<Pod>({ method: 'GET', path: `${core}/pods/p` });
  const becomeReady = () =>
    store.interferences.push((others, key, there) => {
      const anew = JSON.parse(Buffer.from(there!.value).toString()) as Pod;
      anew.status = ready as Pod['status'];
      return others.write([{ key, value: Buffer.from(JSON.stringify(anew)), expect: 'any' }]);
    });
  return { pod, evict, becomeReady };
}

const isTooEarly = (error: unknown) => isReason(error, 'TooManyRequests');

test('evict asks the budget of a pod that runs only since it was looked at', async (t) => {
  const { pod, evict, becomeReady } = await startWithPod(t, { phase: 'Pending' });
  becomeReady();
  await assert.rejects(evict(), isTooEarly);
  assert.deepEqual([(await pod()).status, (await pod()).metadata.deletionTimestamp], [ready, undefined]);
});

test('evict lets no pod go as not ready that is ready since it was looked at', async (t) => {
  const { pod, evict, becomeReady } = await startWithPod(t, { phase: 'Running' });
  becomeReady();
  await assert.rejects(evict(), isTooEarly);
  assert.equal((await pod()).metadata.deletionTimestamp, undefined);
});

test('evict marks no pod that is not the one that is meant, and deletes the one of the version that is', async (t) => {
  const { pod, evict } = await startWithPod(t, { phase: 'Pending' });
  await assert.rejects(evict({ uid: 'another' }), (error) => isReason(error, 'Conflict'));
  const { metadata, status } = await pod();
  assert.equal(status.conditions, undefined);
  await evict({ resourceVersion: metadata.resourceVersion });
  const { conditions = [] } = (await pod()).status;
  assert.deepEqual(
    [conditions[0]?.type, Boolean((await pod()).metadata.deletionTimestamp)],
    ['DisruptionTarget', true],
  );
});
