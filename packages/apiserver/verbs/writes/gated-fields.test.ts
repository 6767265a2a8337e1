import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@kubernode/api/core/v1';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import { startApiServer } from '../../server.ts';

const spec = { containers: [{ name: 'c', image: 'i' }], schedulingGroup: { podGroupName: 'g' } };

for (const [featureGates, isKept] of [
  [{}, false],
  [{ GenericWorkload: true }, true],
] as const) {
  test(`create ${isKept ? 'keeps' : 'drops'} fields with the gates ${JSON.stringify(featureGates)}`, async () => {
    const server = await startApiServer({
      store: memoryStore(),
      clock: new FakeClock(),
      log: silentLogger,
      random: seededRandom(1),
      featureGates,
    });
    const path = '/api/v1/namespaces/default/pods';
    const body = { metadata: { name: 'p' }, spec };
    const made = await server.transport('system:admin').request<Pod>({ method: 'POST', path, body });
    assert.equal(made.spec.schedulingGroup !== undefined, isKept);
    await server.stop();
  });
}
