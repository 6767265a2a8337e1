/** kubectl: reading the cluster: get with every output, watch, selectors, describe, explain, and what the API offers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestCluster, testImage, type TestMachine } from './harness.ts';

let cluster: TestMachine;
before(async () => {
  cluster = await startTestCluster();
});
after(() => cluster?.stop());

test('kubectl get: a node that is ready', async () => {
  assert.match(await cluster.kubectlOutput('get nodes'), /Ready/);
  await cluster.kubectlOutput(['run', 'one', `--image=${testImage}`, '--', 'sleep', '1000']);
  await cluster.kubectlOutput('wait --for=condition=Ready pod/one --timeout=20s');
});
