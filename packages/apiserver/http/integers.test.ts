/** Integers that a double does not hold, from a body to what is stored, judged, owned and read (answers are upstream's). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { startServed } from '../served-testing.ts';
import type { ApiServer } from '../server.ts';

const json = 'application/json';
const merge = 'application/merge-patch+json';
const apply = 'application/apply-patch+yaml';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ints = '/apis/x.io/v1/ints';
let server: ApiServer;

const definition = `{"metadata":{"name":"ints.x.io"},"spec":{"group":"x.io","scope":"Cluster","names":{"plural":"ints",
"singular":"int","kind":"Int"},"versions":[{"name":"v1","served":true,"storage":true,
"additionalPrinterColumns":[{"name":"I","type":"integer","jsonPath":".spec.i"},
{"name":"S","type":"string","jsonPath":".spec.i"}],"selectableFields":[{"jsonPath":".spec.i"}],
"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{
"i":{"type":"integer"},"n":{"type":"number"},"i32":{"type":"integer","format":"int32"},
"i64":{"type":"integer","format":"int64"},"ios":{"x-kubernetes-int-or-string":true},
"max":{"type":"integer","maximum":9007199254740992},"mul":{"type":"integer","multipleOf":2},
"below":{"type":"integer","maximum":9007199254740994,"exclusiveMaximum":true},
"en":{"type":"integer","enum":[9007199254740993,5]},"def":{"type":"integer","default":9007199254740993},
"cel":{"type":"integer","x-kubernetes-validations":[{"rule":"self == 9007199254740993"}]},
"grows":{"type":"integer","x-kubernetes-validations":[{"rule":"self >= oldSelf"}]},
"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"integer"}},
"map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object",
"required":["k"],"properties":{"k":{"type":"integer"},"v":{"type":"string"}}}},
"any":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}}}]}}`;

async function send(method: string, path: string, body?: string | Buffer, type = json, accept = json) {
  const headers = { accept, ...(body === undefined ? {} : { 'content-type': type }) };
  const response = await fetch(server.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { code: response.status, bytes, text: bytes.toString('utf8') };
}

const objectText = (name: string, spec: string, more = '') =>
  `{"apiVersion":"x.io/v1","kind":"Int","metadata":{"name":"${name}"${more}},"spec":{${spec}}}`;
const specIn = (text: string) => /"spec":(\{.*\})\}/.exec(text)?.[1] ?? text;

before(async () => {
  server = await startServed({ featureGates: { CBORServingAndStorage: true } });
  assert.equal((await send('POST', definitions, definition)).code, 201);
  for (let tries = 0; tries < 1000 && (await send('GET', ints)).code !== 200; tries += 1) await turn();
});
after(() => server.stop());

const invalid = (field: string, value: string, detail: string) =>
  `spec.${field}: Invalid value: ${value}: spec.${field} in body should be ${detail}`;
const noInteger = (field: string) => `spec.${field} in body must be of type integer: \\"number\\"`;

/** What is stored of a field of a custom object, or what it is refused for. */
const fields: readonly (readonly [field: string, literal: string, stored: string | undefined, refusal?: string])[] = [
  ['i', '9007199254740993', '9007199254740993'],
  ['i', '-9223372036854775808', '-9223372036854775808'],
  ['i', '9223372036854775807', '9223372036854775807'],
  ['i', '9223372036854775808', undefined, noInteger('i')],
  ['i', '1e18', undefined, noInteger('i')],
  ['i', '1.0', '1'],
  ['n', '9007199254740993', '9007199254740993'],
  ['n', '9223372036854775808', '9223372036854776000'],
  ['n', '123456789012345678901234', '1.2345678901234569e+23'],
  ['i64', '9223372036854775807', '9223372036854775807'],
  ['i64', '9223372036854775808', undefined, 'spec.i64 in body must be of type int64: \\"float64\\"'],
  ['i32', '9007199254740993', undefined, 'must be of type integer with format int32 in spec.i32'],
  ['ios', '9007199254740993', '9007199254740993'],
  ['max', '9007199254740992', '9007199254740992'],
  ['max', '9007199254740993', undefined, invalid('max', '9007199254740993', 'less than or equal to 9007199254740992')],
  ['mul', '9007199254740994', '9007199254740994'],
  ['mul', '9007199254740993', undefined, invalid('mul', '9007199254740993', 'a multiple of 2')],
  ['below', '9007199254740993', '9007199254740993'],
  ['below', '9007199254740994', undefined, invalid('below', '9007199254740994', 'less than 9007199254740994')],
  ['en', '9007199254740993', '9007199254740993'],
  [
    'en',
    '9007199254740992',
    undefined,
    'Unsupported value: 9007199254740992: supported values: \\"9007199254740993\\"',
  ],
  ['cel', '9007199254740993', '9007199254740993'],
  ['cel', '9007199254740992', undefined, 'Invalid value: 9007199254740992: failed rule: self == 9007199254740993'],
  ['set', '[9007199254740993,9007199254740992]', '[9007199254740993,9007199254740992]'],
  ['set', '[9007199254740993,9007199254740993]', undefined, 'spec.set[1]: Duplicate value: 9007199254740993'],
  ['map', '[{"k":9007199254740993},{"k":9007199254740992}]', '[{"k":9007199254740993},{"k":9007199254740992}]'],
  ['map', '[{"k":9007199254740993},{"k":9007199254740993}]', undefined, 'Duplicate value: {\\"k\\":9007199254740993}'],
  ['any', '{"a":[9007199254740993]}', '{"a":[9007199254740993]}'],
];

for (const [index, [field, literal, stored, refusal]] of fields.entries()) {
  test(`integers: ${literal} in a custom object's field "${field}" is ${stored ?? 'refused'}`, async () => {
    const made = await send('POST', ints, objectText(`f${index}`, `"${field}":${literal}`));
    if (stored !== undefined) assert.equal(specIn(made.text), `{"${field}":${stored},"def":9007199254740993}`);
    else assert.ok(made.text.includes(refusal ?? ''), made.text);
    assert.equal(made.code, stored === undefined ? 422 : 201);
    if (stored === undefined) return;
    const read = await send('GET', `${ints}/f${index}`);
    assert.equal(specIn(read.text), specIn(made.text));
    const again = await send('PUT', `${ints}/f${index}`, read.bytes);
    assert.equal(again.text, read.text, 'nothing changed, thus nothing is written');
  });
}

test('integers: patches are exact, and tell neighbours apart', async () => {
  const jsonPatch = (operation: string) => send('PATCH', `${ints}/p`, `[${operation}]`, 'application/json-patch+json');
  await send('POST', ints, objectText('p', '"i":9007199254740993,"grows":9007199254740993'));
  assert.match((await send('PATCH', `${ints}/p`, '{"spec":{"i":9007199254740995}}', merge)).text, /9007199254740995/);
  assert.equal((await jsonPatch('{"op":"test","path":"/spec/i","value":9007199254740995}')).code, 200);
  assert.equal((await jsonPatch('{"op":"test","path":"/spec/i","value":9007199254740996}')).code, 422);
  assert.equal((await jsonPatch('{"op":"replace","path":"/spec/grows","value":9007199254740992}')).code, 422);
  const copied = await jsonPatch(
    '{"op":"copy","from":"/spec/i","path":"/spec/any","value":1},{"op":"remove","path":"/spec/any"}',
  );
  assert.equal(copied.code, 200);
});

test('integers: server-side apply owns items by their exact keys', async () => {
  const configuration = (i: string, more: string) =>
    `{apiVersion: x.io/v1, kind: Int, metadata: {name: s}, spec: {i: ${i}, ${more}}}`;
  const first = configuration(
    '9007199254740997',
    'set: [9007199254740993, 9007199254740992], map: [{k: 9007199254740993}]',
  );
  const made = await send('PATCH', `${ints}/s?fieldManager=a`, first, apply);
  assert.equal(made.code, 201);
  for (const element of ['v:9007199254740992', 'v:9007199254740993', 'k:{\\"k\\":9007199254740993}']) {
    assert.ok(made.text.includes(`"${element}":{`), element);
  }
  assert.equal(
    (await send('PATCH', `${ints}/s?fieldManager=b`, configuration('9007199254740998', 'i64: 1'), apply)).code,
    409,
  );
  const shorter = configuration('9007199254740997', 'set: [9007199254740993]');
  const kept = await send('PATCH', `${ints}/s?fieldManager=a`, shorter, apply);
  assert.match(specIn(kept.text), /"set":\[9007199254740993\]/);
});

test('integers: YAML, CBOR, tables, selectors and pretty JSON show them', async () => {
  await send('POST', ints, objectText('r', '"i":9007199254740999'));
  const get = (query: string, accept = json) => send('GET', `${ints}/r${query}`, undefined, json, accept);
  assert.match((await get('', 'application/yaml')).text, /\n {2}i: 9007199254740999\n/);
  assert.match((await get('?pretty=1')).text, /"i": 9007199254740999\b/);
  const table = await get('?includeObject=None', 'application/json;as=Table;v=v1;g=meta.k8s.io');
  assert.match(table.text, /"cells":\["r",9007199254740999,"9007199254740999"\]/);
  const selected = await send('GET', `${ints}?fieldSelector=spec.i%3D9007199254740999`);
  assert.equal((JSON.parse(selected.text) as { items: unknown[] }).items.length, 1);
  const cbor = await get('', 'application/cbor');
  assert.ok(cbor.bytes.includes(Buffer.from('1b0020000000000007', 'hex')));
  assert.equal((await send('PUT', `${ints}/r`, cbor.bytes, 'application/cbor')).text, (await get('')).text);
});

test('integers: patches of typed objects are exact, or refused as Go refuses them', async () => {
  const path = '/apis/apps/v1/namespaces/default/deployments';
  const deployment = `{"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":
    {"labels":{"a":"b"}},"spec":{"terminationGracePeriodSeconds":9007199254740993,"containers":[{"name":"c","image":"i"}]}}}}`;
  await send('POST', '/api/v1/namespaces', '{"metadata":{"name":"default"}}');
  assert.match((await send('POST', path, deployment)).text, /"terminationGracePeriodSeconds":9007199254740993\b/);
  const grace = (literal: string) => `{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":${literal}}}}}`;
  for (const type of [merge, 'application/strategic-merge-patch+json']) {
    const changed = await send('PATCH', `${path}/d`, grace('9007199254740995'), type);
    assert.match(changed.text, /"terminationGracePeriodSeconds":9007199254740995\b/);
  }
  const where = 'Go struct field PodSpec.spec.template.spec.terminationGracePeriodSeconds of type int64';
  for (const literal of ['1.0', '1e3', '9223372036854775808']) {
    const { code, text } = await send('PATCH', `${path}/d`, grace(literal), merge);
    assert.deepEqual([code, text.includes(`cannot unmarshal number ${literal} into ${where}`)], [422, true], text);
  }
  const ofGoValues = await send('PATCH', `${path}/d`, grace('1e3'), 'application/strategic-merge-patch+json');
  assert.match(ofGoValues.text, /"terminationGracePeriodSeconds":1000\b/);
});

test('integers: a grace period is exact, however it is asked for', async () => {
  const pods = '/api/v1/namespaces/default/pods';
  await send('POST', '/api/v1/namespaces/default/serviceaccounts', '{"metadata":{"name":"default"}}');
  const pod = `{"metadata":{"name":"g"},"spec":{"nodeName":"n","terminationGracePeriodSeconds":9223372036854775807,
    "containers":[{"name":"c","image":"i"}]}}`;
  assert.equal((await send('POST', pods, pod)).code, 201);
  const marked = await send('DELETE', `${pods}/g`);
  assert.match(marked.text, /"deletionGracePeriodSeconds":9223372036854775807\b/);
  const sooner = await send('DELETE', `${pods}/g?gracePeriodSeconds=9007199254740993`);
  assert.match(sooner.text, /"deletionGracePeriodSeconds":9007199254740993\b/);
});
