import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { memoryStore, prefixRange } from '@kubernode/store';
import { MetricsRegistry } from '../metrics/registry.ts';
import { authenticatedData } from './authenticated-data.ts';
import { aesCbc, aesGcm, extendedNonceGcm, secretbox } from './ciphers.ts';
import { parseEncryption } from './configuration.ts';
import { createEncryption } from './encryption.ts';
import { KmsTransformer } from './kms.ts';
import type { EncryptedKey } from './kms-service.ts';

const key = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const keyText = key.toString('base64');
const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n';
const keys = (...names: string[]) => `{keys: [${names.map((name) => `{name: ${name}, secret: ${keyText}}`).join()}]}`;
const oneRule = (resources: string, ...providers: string[]) =>
  `${head}resources: [{resources: [${resources}], providers: [${providers.map((each) => `{${each}}`).join()}]}]`;

/** What kube-apiserver v1.37.1 wrote into etcd, with the key above. */
const written = {
  secretbox:
    'azhzOmVuYzpzZWNyZXRib3g6djE6a2V5MTpgIZQCerQt0FaTXRP2AqO1N79gPjNU84Btf49ZaEC3Di5iAdpTauc8zGgeiLkJRBkf' +
    'JxUXdgzrCVjoh+FZkyEnkkN96AVkjo+Dgb8eC3YKU74v190iG5xBj2zs4nUCPmVuO6ZqggIRisiOM+CmeJUf0a3rivBFM/l0hRG8' +
    '5/cTl/YXzGFhamu9Uv7lEpav4HpCDSoijOeA2ew1PSUbdtIuSFBWk/d28P+/JRTw/T24tD2d5X9eYP2D9s7xFe1J7/pnJje95TOd' +
    'PzyUplHzQz5e1l0YD6wXBh9hgwwF9VzLryYRwOchFmpfpejOR9n1nUK0',
  aesgcm:
    'azhzOmVuYzphZXNnY206djE6a2V5MTp4QuMF1rZYiAs/MR5u4wdy+YchbBi7waPkDvnVjr0Lw/gTJsSt3p4reUz8YwIpPlUA4NYr' +
    'YL1JoV9o8XgeJGMho4Z+LwBabMTx3c6XAjYgMIdfEJcC7HCpllOKJiixnkMu+aPH8wuUV/xQkt6neeSts1ohnwSuszTX4VJTGCnC' +
    'RwMl2cdhPgNncpN5ewzTEs7v15K0kxmCNH99+Ig3wNu/muLkAMt2DtQ5SgApfpuzrdvI10iTGJD8xAFDELV6n1l0EIULOdhYxDhD' +
    '8crNy/abpTX/ZNUS',
  aescbc:
    'azhzOmVuYzphZXNjYmM6djE6a2V5MToV8VyBOZ4aNpZNddUsUzW1lw6typdyptODYQmB2w38w3AKfSgkscuN6VhbxTmGNBC2BS4N' +
    '337Nclcu3AM27iYBztcYak7ANdLwAIHHgoigyV5yEcXTWUpUEGe1AVR+ufYidjAuX8Jt5U/h9ED/hJaxBU9U1eLmYYZgoZ4bQBNa' +
    '3tMWKZSH00u15yZLxqcY4uk=',
};

test('ciphers read what the reference wrote, bound to its key', () => {
  const read = (name: keyof typeof written, cipher: ReturnType<typeof aesGcm>, aad: string) => {
    const data = Buffer.from(written[name], 'base64');
    const prefix = `k8s:enc:${name}:v1:key1:`;
    assert.equal(data.subarray(0, prefix.length).toString(), prefix);
    return cipher.decrypt(data.subarray(prefix.length), Buffer.from(aad)).toString('latin1');
  };
  assert.match(read('secretbox', secretbox(key), ''), /^k8s\0.*Secret/s);
  assert.match(read('aescbc', aesCbc(key), ''), /^k8s\0.*Lease/s);
  const place = authenticatedData(
    '/registry/core/configmaps/default/enc1',
    '/registry/core/configmaps/',
    '',
    'configmaps',
  );
  assert.match(read('aesgcm', aesGcm(key), place.toString()), /^k8s\0.*ConfigMap/s);
  assert.throws(() => read('aesgcm', aesGcm(key), '/registry/configmaps/default/enc2'), /authentication failed/);
});

test('ciphers read what they write, and nothing that was changed', () => {
  const value = Buffer.from('{"kind":"Secret"}'.repeat(100));
  const aad = Buffer.from('/registry/secrets/n/s');
  for (const make of [aesGcm, aesCbc, secretbox, extendedNonceGcm]) {
    const cipher = make(key);
    const data = cipher.encrypt(value, aad);
    assert.ok(!data.includes('Secret'), make.name);
    assert.notDeepEqual(cipher.encrypt(value, aad), data);
    assert.deepEqual(cipher.decrypt(data, aad), value);
    assert.throws(() => cipher.decrypt(data.subarray(0, 10), aad), /shorter/, make.name);
    if (make === aesCbc) continue;
    data[data.length - 1]! ^= 1;
    assert.throws(() => cipher.decrypt(data, aad), make.name);
  }
});

test('authenticatedData is the key that upstream has', () => {
  const cases = [
    ['/registry/core/secrets/n/s', '', 'secrets', '/registry/secrets/n/s'],
    ['/registry/core/services/n/s', '', 'services', '/registry/services/specs/n/s'],
    ['/registry/core/nodes/n', '', 'nodes', '/registry/minions/n'],
    ['/registry/apps/deployments/n/d', 'apps', 'deployments', '/registry/deployments/n/d'],
    ['/registry/example.com/widgets/n/w', 'example.com', 'widgets', '/registry/example.com/widgets/n/w'],
  ] as const;
  for (const [at, group, resource, expected] of cases) {
    const prefix = `/registry/${group || 'core'}/${resource}/`;
    assert.equal(authenticatedData(at, prefix, group, resource).toString(), expected);
  }
});

test('parseEncryption says what is wrong, by its path', () => {
  const cases = [
    ['kind: Other', /expected apiserver.config.k8s.io\/v1/],
    [head, /at least one resources is required/],
    [oneRule('secrets'), /resources\[0\]\.providers: Required value/],
    [oneRule("'*'", 'identity: {}'), /use '\*\.' to encrypt/],
    [oneRule("secrets, '*.'", 'identity: {}'), /overlapping resources/],
    [oneRule('Secrets', 'identity: {}'), /capital letters/],
    [oneRule("'pods.*'", 'identity: {}'), /across groups/],
    [oneRule('secrets', `aesgcm: ${keys('a')}, identity: {}`), /more than one provider/],
    [oneRule('secrets', 'aesgcm: {keys: [{name: a, secret: AAAA}]}'), /expected one of \[16 24 32\]/],
    [oneRule('secrets', 'secretbox: {keys: [{secret: AAAA}]}'), /keys\[0\]\.name: Required value/],
    [oneRule('secrets', 'kms: {apiVersion: v1, name: k, endpoint: unix:///s}'), /KMSv1 is deprecated/],
    [oneRule('secrets', 'kms: {apiVersion: v2, name: k, endpoint: https://s}'), /unsupported scheme "https"/],
  ] as const;
  for (const [text, message] of cases) assert.throws(() => parseEncryption(text), message, text);
  assert.equal(parseEncryption(oneRule("'*.*'", `secretbox: ${keys('a')}`)).resources?.length, 1);
});

/** How often the file was read again, well or not. */
const attemptsOf = (metrics: MetricsRegistry): string =>
  metrics
    .text()
    .split('\n')
    .filter((line) => line.includes('automatic_reloads_total{'))
    .join();

/** A configuration in a file that the test may change. */
async function encrypted(text: string, reload = false) {
  const directory = mkdtempSync(join(tmpdir(), 'encryption-'));
  const path = join(directory, 'encryption.yaml');
  writeFileSync(path, text);
  const clock = new FakeClock();
  const plain = memoryStore();
  const metrics = new MetricsRegistry();
  const encryption = await createEncryption({ path, reload }, { store: plain, clock, log: silentLogger, metrics });
  const end = async () => {
    encryption.stop();
    await plain.close();
    rmSync(directory, { recursive: true });
  };
  return {
    clock,
    plain,
    metrics,
    encryption,
    store: encryption.store,
    end,
    /** Resolves when the file was looked at, whatever came of it. */
    change: async (next: string) => {
      writeFileSync(path, next);
      const before = attemptsOf(metrics);
      for (let turn = 0; turn < 1000 && attemptsOf(metrics) === before; turn += 1) {
        await clock.advance(60_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

const at = '/registry/core/secrets/n/s';
const value = Buffer.from('{"kind":"Secret","data":{"a":"b"}}');

test('EncryptedStore keeps what is configured encrypted, and shows it plain', async () => {
  const { plain, store, end } = await encrypted(oneRule('secrets', `secretbox: ${keys('one')}`, 'identity: {}'));
  const others = '/registry/core/configmaps/n/c';
  await store.write([
    { key: at, value, expect: 'absent' },
    { key: others, value, expect: 'absent' },
  ]);
  const raw = Buffer.from((await plain.get(at))!.value);
  assert.equal(raw.subarray(0, 25).toString('latin1'), 'k8s:enc:secretbox:v1:one:');
  assert.deepEqual(Buffer.from((await plain.get(others))!.value), value);
  assert.deepEqual(Buffer.from((await store.get(at))!.value), value);
  const page = await store.list(prefixRange('/registry/'));
  assert.deepEqual(
    page.entries.map((entry) => Buffer.from(entry.value)),
    [value, value],
  );
  const stop = new AbortController();
  for await (const [event] of store.watch(prefixRange('/registry/'), 1, stop.signal)) {
    assert.ok(event?.type === 'put');
    assert.deepEqual(Buffer.from(event.entry.value), value);
    stop.abort();
  }
  const lost = await store.write([{ key: at, value, expect: 'absent' }]);
  assert.ok(!lost.ok);
  assert.deepEqual(Buffer.from(lost.current!.value), value);
  await end();
});

test('EncryptedStore tells what another key wrote, after the configuration changed', async () => {
  const { store, end, change, metrics } = await encrypted(oneRule('secrets', 'identity: {}'), true);
  await store.write([{ key: at, value, expect: 'absent' }]);
  await store.get(at);
  assert.equal(store.isStale(at), false);
  await change(oneRule('secrets', `aesgcm: ${keys('one')}`, 'identity: {}'));
  assert.equal(store.isStale(at), true);
  await store.write([{ key: at, value, expect: 'any' }]);
  await store.get(at);
  assert.equal(store.isStale(at), false);
  await change(oneRule('secrets', `aesgcm: ${keys('two', 'one')}`));
  assert.equal(store.isStale(at), true);
  assert.deepEqual(Buffer.from((await store.get(at))!.value), value);
  await change(oneRule('secrets', `aesgcm: ${keys('two')}`));
  await assert.rejects(store.get(at), {
    message: `Internal error occurred: unable to transform key "${at}": no matching key was found for the provided AES transformer`,
  });
  assert.match(metrics.text(), /unknown-non-grpc.*from_storage.*k8s:enc:aesgcm:v1:/);
  await change('nonsense');
  await assert.rejects(store.get(at), /no matching key/);
  await change(oneRule('secrets', 'identity: {}'));
  await assert.rejects(store.get(at), /no matching prefix found/);
  await end();
});

test('KmsTransformer encrypts with a seed that only the service can read, and makes a new one for a new key', async () => {
  const clock = new FakeClock();
  let keyId = 'k1';
  let healthz = 'ok';
  let decrypted = 0;
  const flip = (bytes: Buffer) => Buffer.from(bytes.map((byte) => byte ^ 0xff));
  const service = {
    status: async () => ({ version: 'v2', healthz, keyId }),
    encrypt: async (plaintext: Buffer) => {
      return { ciphertext: flip(plaintext), keyId, annotations: new Map([['a.example.com', Buffer.from('x')]]) };
    },
    decrypt: async ({ ciphertext, annotations }: EncryptedKey) => {
      decrypted += 1;
      assert.equal(annotations.get('a.example.com')?.toString(), 'x');
      return flip(ciphertext);
    },
    close() {},
  };
  const one = new KmsTransformer('kms', service, { clock, log: silentLogger });
  assert.throws(() => one.write(value, Buffer.from(at)), /nil transformer/);
  await one.start();
  const stored = one.write(value, Buffer.from(at));
  const other = new KmsTransformer('kms', service, { clock, log: silentLogger });
  await other.start();
  for (let index = 0; index < 3; index += 1) {
    const plain = await other.read(stored, Buffer.from(at));
    assert.deepEqual(plain, { value, writer: other.writer });
  }
  assert.equal(decrypted, 1);
  keyId = 'k2';
  await clock.advance(60_000);
  assert.notEqual((await one.read(stored, Buffer.from(at))).writer, one.writer);
  healthz = 'broken';
  await clock.advance(60_000);
  assert.match(one.problem!, /unexpected healthz status: broken/);
  one.write(value, Buffer.from(at));
  await clock.advance(180_000);
  assert.throws(() => one.write(value, Buffer.from(at)), /expired/);
  healthz = 'ok';
  await clock.advance(10_000);
  assert.equal(one.problem, undefined);
  one.write(value, Buffer.from(at));
  one.close();
  other.close();
});

test('parseEncryption does not tell the secret of a provider that it does not know', () => {
  const provider = { aescbx: { keys: [{ name: 'a', secret: 'c2VjcmV0' }] } };
  const text = JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources: ['secrets'], providers: [provider] }],
  });
  assert.throws(() => parseEncryption(text), {
    message: /^resources\[0\]\.providers\[0\]: Invalid value: \{\}: provider does not contain any/,
  });
});
