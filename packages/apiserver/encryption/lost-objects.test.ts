import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { StatusError, type Transport } from '@kubernode/api';
import type { Secret } from '@kubernode/api/core/v1';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore, type Store } from '@kubernode/store';
import { parseFeatureGates } from '../feature-gates.ts';
import { startApiServer } from '../server.ts';

const secrets = '/api/v1/namespaces/n/secrets';

function folder(t: { after(end: () => void): void }) {
  const directory = mkdtempSync(join(tmpdir(), 'lost-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return (key: string, index: number): string => {
    const path = join(directory, 'encryption.yaml');
    const secret = Buffer.alloc(32, index).toString('base64');
    const provider = `secretbox: {keys: [{name: ${key}, secret: ${secret}}]}`;
    const rule = `{resources: [secrets], providers: [{${provider}}]}`;
    writeFileSync(path, `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources: [${rule}]`);
    return path;
  };
}

async function start(store: Store, path: string, gates = '') {
  const clock = new FakeClock();
  const server = await startApiServer({
    store,
    clock,
    log: silentLogger,
    random: seededRandom(1),
    encryption: { path, reload: true },
    featureGates: parseFeatureGates(gates),
  });
  return { server, clock, admin: server.transport('system:admin') };
}

async function refusal(admin: Transport, method: 'GET' | 'PUT' | 'DELETE' | 'POST', path: string, body?: object) {
  try {
    await admin.request({ method, path, ...(body && { body }) });
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error(`${method} ${path} was not refused`);
}

const secretOf = (name: string, namespace = 'n') => ({ metadata: { name, namespace }, data: { a: 'Yg==' } });

async function filled(t: { after(end: () => void): void }) {
  const write = folder(t);
  const store = memoryStore();
  const { server, admin } = await start(store, write('one', 1));
  for (const namespace of ['n', 'm']) {
    const path = `/api/v1/namespaces/${namespace}`;
    await admin.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
    await admin.request({ method: 'POST', path: `${path}/secrets`, body: secretOf('s', namespace) });
  }
  await admin.request({ method: 'POST', path: '/api/v1/namespaces/n/configmaps', body: { metadata: { name: 'c' } } });
  await admin.request({ method: 'DELETE', path: '/api/v1/namespaces/m/secrets/s' });
  await server.stop();
  return { store, write };
}

const noKey = 'no matching key was found for the provided Secretbox transformer';
const broken = `data from the storage is not transformable revision=0: ${noKey}`;
const corrupt = (key: string) =>
  `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${broken}`;

test('startApiServer serves all that it can read, and says what it cannot', async (t) => {
  const { store, write } = await filled(t);
  const { server, admin, clock } = await start(store, write('two', 2));
  const one = corrupt('/secrets/n/s');
  for (const [method, told, body] of [
    ['GET', one],
    ['DELETE', one],
    ['PUT', broken, secretOf('s')],
  ] as const) {
    const { code, reason, message } = await refusal(admin, method, `${secrets}/s`, body);
    assert.deepEqual([code, reason, message], [500, 'InternalError', `Internal error occurred: ${told}`], method);
  }
  assert.equal((await refusal(admin, 'POST', secrets, secretOf('s'))).reason, 'AlreadyExists');
  for (const path of [secrets, '/api/v1/secrets']) {
    const { code, reason, message, details } = await refusal(admin, 'GET', path);
    const all = corrupt('/registry/secrets/n/s');
    assert.deepEqual([code, reason], [500, 'StorageReadError']);
    assert.equal(message, `failed to read one or more secrets. from the storage: ${all}`);
    assert.equal(details?.causes?.[0]?.field, '/registry/secrets/n/s');
  }
  for (const path of ['/api/v1/namespaces/m/secrets', '/api/v1/namespaces/n/configmaps/c']) {
    await admin.request({ method: 'GET', path });
  }
  await admin.request({ method: 'POST', path: secrets, body: secretOf('new') });
  write('one', 1);
  let found: Secret | undefined;
  for (let turn = 0; turn < 1000 && !found; turn += 1) {
    await clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
    found = await admin.request<Secret>({ method: 'GET', path: `${secrets}/s` }).catch(() => undefined);
  }
  assert.deepEqual(found?.data, { a: 'Yg==' });
  await server.stop();
});

test('startApiServer without AllowUnsafeMalformedObjectDeletion says only why', async (t) => {
  const { store, write } = await filled(t);
  const { server, admin } = await start(store, write('two', 2), 'AllowUnsafeMalformedObjectDeletion=false');
  const { message } = await refusal(admin, 'GET', `${secrets}/s`);
  assert.equal(message, `Internal error occurred: ${noKey}`);
  const list = await refusal(admin, 'GET', secrets);
  assert.equal(list.message, `Internal error occurred: unable to transform key "/registry/secrets/n/s": ${noKey}`);
  await server.stop();
});

test('startApiServer serves the others where a stored value is no object', async (t) => {
  const { store, write } = await filled(t);
  await store.write([{ key: '/registry/core/configmaps/n/bad', value: Buffer.from('{]'), expect: 'any' }]);
  const { server, admin } = await start(store, write('one', 1));
  const { message } = await refusal(admin, 'GET', '/api/v1/namespaces/n/configmaps/bad');
  assert.match(message ?? '', /Key: \/configmaps\/n\/bad, .*object not decodable revision=\d+: /);
  await admin.request({ method: 'GET', path: `${secrets}/s` });
  await server.stop();
});
