import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { isReason, type KubernetesObject } from '@kubernode/api';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';
import type { Security } from '../options.ts';
import type { AdmissionRequest } from '../seams.ts';
import { startApiServer } from '../server.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const crates = '/apis/example.com/v1/crates';
const schema = { openAPIV3Schema: { type: 'object' } };
const definition = {
  metadata: { name: 'crates.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'crates', kind: 'Crate' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  },
};

/** With crates, which `admit` is asked about last. */
async function startWithCrates(t: TestContext, admit: (name: string) => Promise<void>) {
  const validate = ({ operation, object }: AdmissionRequest) =>
    operation === 'CREATE' ? admit(object?.metadata.name ?? '') : undefined;
  const security: Security = {
    authenticate: () => Promise.resolve({ name: 'system:admin', groups: ['system:masters'] }),
    authorize: () => ({ allowed: true }),
    admission: [{ name: 'Slow', resources: ['crates'], validate }],
  };
  const server = await startApiServer({
    store: memoryStore(),
    clock: new FakeClock(),
    log: silentLogger,
    random: seededRandom(1),
    security: () => security,
  });
  t.after(() => server.stop());
  const admin = server.transport('system:admin');
  const ask = <T = KubernetesObject>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
    admin.request<T>({ method, path, body });
  const isThere = (path: string) =>
    ask('GET', path).then(
      () => true,
      () => false,
    );
  const until = async (done: () => Promise<boolean>) => {
    for (let turn = 0; turn < 1000; turn += 1) {
      if (await done()) return;
      await setImmediate();
    }
    assert.fail('it does not happen');
  };
  const define = async () => {
    await ask('POST', definitions, definition);
    await until(() => isThere(crates));
  };
  const make = (name: string, finalizers: readonly string[] = []) =>
    ask('POST', crates, { apiVersion: 'example.com/v1', kind: 'Crate', metadata: { name, finalizers } });
  await define();
  return { ask, isThere, until, define, make };
}

const definitionPath = `${definitions}/${definition.metadata.name}`;

test('create makes nothing of a definition that went while others were asked', async (t) => {
  const { ask, isThere, until, define, make } = await startWithCrates(t, async () => {
    await ask('DELETE', definitionPath);
    await until(async () => !(await isThere(definitionPath)));
  });
  await assert.rejects(make('late'), (error) => isReason(error, 'NotFound'));
  await define();
  assert.deepEqual((await ask<{ items: readonly object[] }>('GET', crates)).items, []);
});

test('create makes nothing of a definition that is about to go since others were asked', async (t) => {
  const { ask, make } = await startWithCrates(t, async (name) => {
    if (name === 'late') await ask('DELETE', definitionPath);
  });
  await make('held', ['example.com/a']);
  await assert.rejects(make('late'), (error) => isReason(error, 'Forbidden'));
});
