/** What nobody means well: a clear refusal, at once, and never a 500. The codes are the reference's. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServed } from '../served-testing.ts';
import type { ApiServer } from '../server.ts';

let server: ApiServer;
const path = '/api/v1/namespaces/default/configmaps';

before(async () => {
  server = await startServed();
  const admin = server.transport('system:admin');
  await admin.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'default' } } });
  await admin.request({ method: 'POST', path, body: { metadata: { name: 'c' }, data: { a: 'b' } } });
});
after(() => server.stop());

const json = 'application/json';
const yaml = 'application/yaml';
const merge = 'application/merge-patch+json';
const strategic = 'application/strategic-merge-patch+json';
const apply = 'application/apply-patch+yaml';
const protobuf = 'application/vnd.kubernetes.protobuf';
const named = '"metadata":{"name":"x"}';
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

function bomb(): string {
  let text = 'a0: &a0 [l, l, l, l, l, l, l, l, l]\n';
  for (let level = 1; level < 10; level++) {
    text += `a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ')}]\n`;
  }
  return `${text}apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n`;
}

const created: readonly (readonly [name: string, type: string, body: string | Buffer, code: number])[] = [
  ['over 3 MB', json, `{${named},"data":{"k":"${'x'.repeat(3_200_000)}"}}`, 413],
  ['over 3 MB of YAML', yaml, `metadata: {name: x}\ndata: {k: ${'x'.repeat(3_200_000)}}`, 413],
  ['a YAML bomb', yaml, bomb(), 400],
  ['10,001 levels', json, `{${named},"bogus":${nested(10_001)}}`, 400],
  ['a million levels', json, '['.repeat(1_000_000), 400],
  ['20,000 levels of YAML', yaml, `metadata: {name: x}\nbogus: ${nested(20_000)}`, 400],
  ['9,000 levels that nobody asked for', json, `{${named},"bogus":${nested(9_000)}}`, 201],
  ['invalid UTF-8 in YAML', yaml, bytes('metadata: {name: x}\ndata: {k: "', [0xff, 0xfe], '"}'), 400],
  ['invalid UTF-8 in protobuf', protobuf, protobufNamed([0xff]), 422],
  ['an envelope that promises too much', protobuf, bytes('k8s\0', [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]), 400],
  ['an empty envelope', protobuf, 'k8s\0', 400],
  ['no protobuf', protobuf, 'garbage', 400],
  ['a number beyond a double', json, '{"metadata":{"name":"x","generation":1e400}}', 400],
  ['a number beyond a double that nobody asked for', json, `{${named},"bogus":1e400}`, 201],
  ['a number beyond int64', json, '{"metadata":{"name":"x","generation":9223372036854775808}}', 400],
  ['no integer', json, '{"metadata":{"name":"x","generation":1.0}}', 400],
  ['a key __proto__', json, `{${named},"__proto__":{"a":1},"data":{"__proto__":"1","constructor":"2"}}`, 201],
  ['a key __proto__ in YAML', yaml, 'metadata: {name: x}\n__proto__: {a: 1}\ndata: {toString: "1"}', 201],
  ['two values', json, `{${named}} {}`, 400],
  ['an alias of nothing', yaml, 'metadata: *nothing', 400],
  ['an anchor within itself', yaml, 'metadata: &a {name: x, labels: *a}', 400],
];

for (const [name, type, body, code] of created) {
  test(`POST of ${name} is answered with ${code}`, async () => {
    assert.equal(await send('POST', `${path}?dryRun=All`, type, body), code);
  });
}

const patched: readonly (readonly [name: string, type: string, body: string | Buffer, code: number])[] = [
  ['over 3 MB', merge, `{"data":{"k":"${'x'.repeat(3_200_000)}"}}`, 413],
  ['20,000 levels', merge, `{"bogus":${nested(20_000)}}`, 400],
  ['20,000 levels', strategic, `{"bogus":${nested(20_000)}}`, 400],
  ['20,000 levels', 'application/json-patch+json', `[{"op":"add","path":"/b","value":${nested(20_000)}}]`, 400],
  ['a YAML bomb', apply, bomb(), 400],
  ['invalid UTF-8', apply, bytes('{"metadata":{"name":"c"},"data":{"k":"', [0xff], '"}}'), 400],
  ['a key __proto__', merge, '{"__proto__":{"a":1},"data":{"__proto__":"1","constructor":"2"}}', 200],
  ['a key __proto__', strategic, '{"__proto__":{"a":1},"data":{"__proto__":"1","constructor":"2"}}', 200],
  ['a key __proto__', 'application/json-patch+json', '[{"op":"add","path":"/data/__proto__","value":"1"}]', 200],
  ['a prototype', 'application/json-patch+json', '[{"op":"add","path":"/__proto__/x","value":"1"}]', 422],
];

for (const [name, type, body, code] of patched) {
  test(`PATCH (${type}) of ${name} is answered with ${code}`, async () => {
    assert.equal(await send('PATCH', `${path}/c?dryRun=All&fieldManager=m`, type, body), code);
    assert.equal(({} as Record<string, unknown>)['a'], undefined);
  });
}

async function send(method: string, target: string, type: string, body: string | Buffer): Promise<number> {
  const response = await fetch(server.url + target, { method, headers: { 'content-type': type }, body });
  const text = await response.text();
  assert.doesNotMatch(text, /\bat .*\.ts:\d/);
  return response.status;
}

/** A ConfigMap whose name is these bytes. */
function protobufNamed(name: readonly number[]): Buffer {
  const type = bytes([0x0a, 0x02], 'v1', [0x12, 0x09], 'ConfigMap');
  const object = [0x0a, name.length + 2, 0x0a, name.length, ...name];
  return bytes('k8s\0', [0x0a, type.length], [...type], [0x12, object.length, ...object]);
}
