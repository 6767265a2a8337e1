/**
 * Small requests that would make much of little: bodies that say they are far larger than they are, or nest as deep as
 * they are long, selectors of a megabyte, policies whose expressions do not end. Each is answered, and the server goes on.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { startTarget, type Sent, type Target } from './target.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const mebi = 1024 * 1024;

interface Bomb {
  readonly name: string;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default 400. */
  readonly code?: number;
}

const cbor = (name: string, hex: string, times = 1): Bomb => ({
  name: `CBOR: ${name}`,
  type: 'application/cbor',
  body: Buffer.from(hex.repeat(times), 'hex'),
});
const protobuf = (name: string, hex: string, times = 1): Bomb => ({
  name: `protobuf: ${name}`,
  type: 'application/vnd.kubernetes.protobuf',
  body: Buffer.from(`6b387300${hex.repeat(times)}`, 'hex'),
});
const yaml = (name: string, body: string, code = 400): Bomb => ({
  name: `YAML: ${name}`,
  type: 'application/yaml',
  body,
  code,
});

/** Each list holds nine times the one before. */
const laughs = Array.from({ length: 26 }, (_, index) => {
  const letter = (at: number) => String.fromCharCode(97 + at);
  const items = index === 0 ? 'x' : Array.from({ length: 9 }, () => `*${letter(index - 1)}`).join(',');
  return `${letter(index)}: &${letter(index)} [${items}]`;
}).join('\n');

/** Upstream reads bodies as they come, whatever their Content-Encoding says. */
const zeros = gzipSync(Buffer.alloc(64 * mebi));
const bombs: readonly Bomb[] = [
  { name: 'gzip', type: 'application/json', body: zeros, headers: { 'content-encoding': 'gzip' } },
  { name: 'gzip, by its type', type: 'application/gzip', body: zeros, code: 415 },
  cbor('nested lists', '81', mebi),
  cbor('nested maps', 'a16161', mebi / 3),
  cbor('nested tags', 'c6', mebi),
  cbor('lists without end', '9f', mebi),
  cbor('a list of 2^63 items', '9b7fffffffffffffff'),
  cbor('a list of 2^31 items in a map', 'a164646174619a7fffffff'),
  cbor('a map of 2^64 entries', 'bbffffffffffffffff'),
  cbor('a text of 2^63 bytes', '7b7fffffffffffffff'),
  cbor('an integer of 2^63 bytes', 'c25b7fffffffffffffff'),
  protobuf('a message of 2^64 bytes', '0affffffffffffffffff01'),
  protobuf('nested groups', '0b', mebi),
  protobuf('a number without end', 'ff', mebi),
  yaml('aliases of aliases', laughs),
  yaml('nested lists', '['.repeat(mebi)),
  yaml('nested items', '- '.repeat(mebi / 2)),
  yaml('merges', `a: &a {b: c}\n${Array.from({ length: 50_000 }, (_, index) => `k${index}: {<<: *a}`).join('\n')}`),
  yaml('documents', '---\n'.repeat(mebi / 4), 422),
  yaml('lines', `a: ${' '.repeat(mebi)}b\n${'\n'.repeat(mebi)}c`),
  { name: 'JSON: nested lists', type: 'application/json', body: '['.repeat(mebi) },
  { name: 'JSON: empty objects', type: 'application/json', body: `[${'{},'.repeat(mebi - 1)}{}]`, code: 413 },
  { ...cbor('empty objects', `9f${'a0'.repeat(mebi)}ff`), code: 413 },
  yaml('empty objects', '- {}\n'.repeat(mebi / 2), 413),
  { name: 'JSON: digits', type: 'application/json', body: `{"data":{"a":${'1'.repeat(mebi)}}}` },
];

test('bodies that claim to be larger than they are', async (context) => {
  const target = await startTarget(context, 1);
  for (const { name, body, type, headers, code = 400 } of bombs) {
    target.hint = name;
    const answer = await target.send({ method: 'POST', path: configMaps, body, type, ...(headers && { headers }) });
    assert.equal(answer.code, code, `${name}: ${answer.text.slice(0, 300)}`);
  }
  assert.deepEqual(target.failures, []);
});

const selectors: readonly string[] = [
  `a in (${Array.from({ length: 150_000 }, (_, index) => `v${index}`).join(',')})`,
  Array.from({ length: 100_000 }, (_, index) => `a${index}=b`).join(','),
  Array.from({ length: 100_000 }, (_, index) => `!a${index}`).join(','),
  '('.repeat(mebi),
  '!'.repeat(mebi),
  ','.repeat(mebi),
  ' '.repeat(mebi),
  'a'.repeat(mebi),
];

test('selectors of a megabyte', async (context) => {
  const target = await startTarget(context, 1);
  await target.send({ method: 'POST', path: configMaps, body: { metadata: { name: 'a', labels: { a: 'v1' } } } });
  for (const selector of selectors) {
    target.hint = selector.slice(0, 40);
    for (const name of ['labelSelector', 'fieldSelector']) {
      const resourceAttributes = { verb: 'list', resource: 'pods', [name]: { rawSelector: selector } };
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      assert.equal((await target.send({ method: 'POST', path, body: { spec: { resourceAttributes } } })).code, 201);
      // Of what is written as it is a head may hold that much.
      const query = `${name}=${encodeURIComponent(selector).slice(0, mebi / 2)}`;
      for (const method of ['GET', 'DELETE']) {
        const { code } = await target.send({ method, path: `${configMaps}?${query}` });
        assert.ok(code === 200 || (code >= 400 && code < 500), `${method} ${code}`);
      }
    }
  }
  assert.deepEqual(target.failures, []);
});

/** A tenth of what a policy's expressions may cost together, each; and what no budget of upstream's counts. */
const expressions: readonly string[] = [
  ...Array.from({ length: 20 }, (_, index) => `lists.range(100000).all(x, x >= ${index})`),
  'object.data.a.matches("(a|b)*a(a|b){900}$") || true',
  'lists.range(20000).all(x, object.data.a == object.data.b)',
  `[1]${'.map(x, [x, x])'.repeat(30)}.size() > 0`,
];

async function makePolicy(target: Target, name: string, expression: string): Promise<void> {
  const path = '/apis/admissionregistration.k8s.io/v1';
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
  const spec = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] };
  const post = async (sent: Pick<Sent, 'path' | 'body'>) => (await target.send({ method: 'POST', ...sent })).code;
  assert.equal(await post({ path: `${path}/validatingadmissionpolicies`, body: { metadata: { name }, spec } }), 201);
  const binding = { policyName: name, validationActions: ['Deny'] };
  const body = { metadata: { name }, spec: binding };
  assert.equal(await post({ path: `${path}/validatingadmissionpolicybindings`, body }), 201);
}

test('policies whose expressions take long', async (context: TestContext) => {
  const target = await startTarget(context, 1);
  for (const [index, expression] of expressions.entries()) await makePolicy(target, `p${index}`, expression);
  await setImmediate();
  const data = { a: 'ab'.repeat(50_000), b: `${'ab'.repeat(49_999)}aa` };
  const body = { metadata: { name: 'a' }, data };
  let code = 201;
  for (let turn = 0; turn < 100 && code === 201; turn += 1) {
    ({ code } = await target.send({ method: 'POST', path: `${configMaps}?dryRun=All`, body }));
  }
  assert.equal(code, 422);
  assert.equal((await target.send({ method: 'GET', path: '/readyz' })).code, 200);
  assert.deepEqual(target.failures, []);
});
