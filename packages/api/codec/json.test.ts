import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapeOf } from '../shapes.ts';
import { DecodeError } from './decode-error.ts';
import { decodeJson, decodeValue, encodeJsonText } from './json.ts';

const pod = shapeOf('core/v1.Pod');
const configMap = shapeOf('core/v1.ConfigMap');

const decodeText = (text: string, shape = pod) => decodeJson(Buffer.from(text), shape, { validation: 'Strict' });
const printed = (value: unknown, shape = pod) =>
  JSON.parse(encodeJsonText(decodeValue(value, shape).object, shape)) as Record<string, unknown>;

test('decodeJson gives what Go would print back', () => {
  const container = { name: 'c', image: 'web', resources: { limits: { cpu: 0.5, memory: '1024Mi' } }, command: [] };
  const conditions = [{ type: 'Ready', status: 'True' }];
  const written = { metadata: { name: 'a', labels: {} }, spec: { hostPID: false, containers: [container] } };
  assert.deepEqual(printed({ ...written, kind: 'Pod', apiVersion: 'v1', status: { conditions } }), {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'a' },
    spec: { containers: [{ name: 'c', image: 'web', resources: { limits: { cpu: '500m', memory: '1Gi' } } }] },
    status: { conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: null }] },
  });
});

test('encodeJsonText writes fields in the order of the shape and maps by key', () => {
  const object = {
    metadata: { labels: { b: '1', a: '2' }, name: 'x' },
    data: { k: 'v' },
    apiVersion: 'v1',
    kind: 'ConfigMap',
  };
  const text = encodeJsonText(object, configMap);
  assert.equal(
    text,
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","labels":{"a":"2","b":"1"}},"data":{"k":"v"}}',
  );
});

const nulls: readonly (readonly [type: string, value: object, printedValue: object])[] = [
  ['rbac.authorization.k8s.io/v1.ClusterRole', { rules: [] }, { metadata: {}, rules: null }],
  ['core/v1.PodList', {}, { metadata: {}, items: [] }],
  ['core/v1.Event', {}, { eventTime: null, firstTimestamp: null }],
  ['core/v1.ConfigMap', { data: { a: null } }, { metadata: {}, data: { a: '' } }],
  ['apps/v1.ControllerRevision', { data: null, revision: 1 }, { metadata: {}, data: null, revision: 1 }],
];

for (const [type, value, expected] of nulls) {
  test(`encodeJsonText prints null where Go does: ${type}`, () => {
    const shape = shapeOf(type);
    assert.partialDeepStrictEqual(printed(value, shape), expected);
  });
}

const wrongTypes: readonly (readonly [text: string, message: string])[] = [
  [
    '{"spec":{"containers":[{"env":[{"value":true}]}]}}',
    'json: cannot unmarshal bool into Go struct field EnvVar.spec.containers.env.value of type string',
  ],
  ['{"spec":[]}', 'json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec'],
  [
    '{"spec":{"priority":"high"}}',
    'json: cannot unmarshal string into Go struct field PodSpec.spec.priority of type int32',
  ],
  [
    '{"spec":{"priority":1.5}}',
    'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32',
  ],
  [
    '{"spec":{"priority":3000000000}}',
    'json: cannot unmarshal number 3000000000 into Go struct field PodSpec.spec.priority of type int32',
  ],
  [
    '{"spec":{"containers":{}}}',
    'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
  ],
  [
    '{"metadata":{"labels":{"a":1}}}',
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
  ],
  [
    '{"spec":{"containers":[{"resources":{"limits":{"cpu":"a lot"}}}]}}',
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  [
    '{"metadata":{"creationTimestamp":"yesterday"}}',
    'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
  ],
  [
    '{"metadata":{"creationTimestamp":"2026-02-30T00:00:00Z"}}',
    'parsing time "2026-02-30T00:00:00Z": day out of range',
  ],
  ['[]', 'json: cannot unmarshal array into Go value of type v1.Pod'],
  ['', 'unexpected end of JSON input'],
  ['{"a":1', 'unexpected end of JSON input'],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['[1 2]', "invalid character '2' after array element"],
  ['{} {}', "invalid character '{' after top-level value"],
  ['{"a":nil}', "invalid character 'i' in literal null (expecting 'u')"],
  ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
];

for (const [text, message] of wrongTypes) {
  test(`decodeJson refuses ${text}`, () => {
    assert.throws(
      () => decodeText(text),
      (error) => error instanceof DecodeError && (assert.equal(error.message, message), true),
    );
  });
}

test('decodeJson refuses bytes that are no base64', () => {
  assert.throws(
    () => decodeText('{"data":{"a":"not base64"}}', shapeOf('core/v1.Secret')),
    /^DecodeError: illegal base64 data at input byte 3$/,
  );
});

const strict: readonly (readonly [text: string, errors: readonly string[]])[] = [
  ['{"spec":{"containers":[{"name":"a"}]}}', []],
  [
    '{"spec":{"foo":1,"containers":[{"ports":[{"bar":{"baz":2}}]}]}}',
    ['spec.foo', 'spec.containers[0].ports[0].bar'].map(unknown),
  ],
  ['{"Spec":{}}', [unknown('Spec')]],
  ['{"__proto__":{"a":1}}', [unknown('__proto__')]],
  [
    '{"metadata":{"name":"a","name" : "b","labels":{"x":"\\"","x":"2"}}}',
    ['metadata.name', 'metadata.labels.x'].map(repeated),
  ],
  ['{"metadata":{"annotations":{"a\\":":"b\\\\"}}}', []],
  ['{"metadata":{"name" :":","name":":b"}}', [repeated('metadata.name')]],
  ['{"metadata":{"name":":","labels":{":":":","a":" :"}}}', []],
];

for (const [text, errors] of strict) {
  test(`decodeJson finds ${errors.length} strict errors in ${text}`, () => {
    assert.deepEqual(decodeText(text).strictErrors, errors);
    assert.deepEqual(decodeJson(Buffer.from(text), pod, { validation: 'Ignore' }).strictErrors, []);
  });
}

test('decodeJson bounds nesting', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const watchEvent = shapeOf('meta.k8s.io/v1.WatchEvent');
  assert.throws(() => decodeText(`{"object":${deep}}`, watchEvent), /^DecodeError: exceeded max depth$/);
  assert.throws(() => decodeText(`{"unknown":${deep}}`, watchEvent), /^DecodeError: exceeded max depth$/);
  const schema = `${'{"not":'.repeat(5000)}{}${'}'.repeat(5000)}`;
  assert.throws(() => decodeText(schema, shapeOf('apiextensions.k8s.io/v1.JSONSchemaProps')), /exceeded max depth/);
});

test('encodeJsonText writes what comes after an object that could not be written', () => {
  const revision = shapeOf('apps/v1.ControllerRevision');
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const expected = '{"metadata":{"name":"a"},"data":{"b":1},"revision":2}';
  for (let index = 0; index < 3; index++) {
    const object = { revision: 2, data: { b: 1 }, metadata: { name: 'a' } };
    assert.throws(() => encodeJsonText({ ...object, data: circle }, revision), TypeError);
    assert.equal(encodeJsonText(object, revision), expected);
  }
});

test('decodeJson looks not into what it does not know, up to 10,000 levels', () => {
  const deep = (levels: number) =>
    `{"bogus":${'['.repeat(levels)}"]"${']'.repeat(levels)},"spec":{"bad":{"a":1,"a":2}}}`;
  const errors = [unknown('bogus'), unknown('spec.bad')];
  assert.deepEqual(decodeText(deep(9_000)).strictErrors, errors);
  assert.throws(() => decodeText(deep(10_001)), /^DecodeError: exceeded max depth$/);
});

const odd: readonly (readonly [text: string, found: string | undefined])[] = [
  ['{"spec":{"priority":1.0}}', 'number 1.0'],
  ['{"spec":{"priority":1e2}}', 'number 1e2'],
  ['{"metadata":{"generation":9223372036854775808}}', 'number 9223372036854775808'],
  ['{"metadata":{"generation":-9223372036854775809}}', 'number -9223372036854775809'],
  ['{"metadata":{"generation":9223372036854775807}}', undefined],
  ['{"bogus":[1.5,1e2,12345678901234567890]}', undefined],
  ['{"metadata":{"generation" : 1.0}}', 'number 1.0'],
  ['{"metadata":{"name":"a:1.0","generation":\n-1e0}}', 'number -1e0'],
];

for (const [text, found] of odd) {
  test(`decodeJson ${found ? 'refuses' : 'takes'} the number in ${text}`, () => {
    if (found) assert.throws(() => decodeText(text), { message: new RegExp(`cannot unmarshal ${found} into`) });
    else decodeText(text);
  });
}

test('decodeJson refuses numbers that no double holds, where they are read', () => {
  const field = 'Go struct field JSONSchemaProps.maximum of type float64';
  assert.throws(() => decodeText('{"maximum":1e400}', shapeOf('apiextensions.k8s.io/v1.JSONSchemaProps')), {
    message: `json: cannot unmarshal number 1e400 into ${field}`,
  });
  const digits = '1'.repeat(400);
  assert.throws(() => decodeText(`{"maximum":${digits}}`, shapeOf('apiextensions.k8s.io/v1.JSONSchemaProps')), {
    message: `json: cannot unmarshal number ${digits} into ${field}`,
  });
  assert.deepEqual(decodeText('{"bogus":1e400}').strictErrors, [unknown('bogus')]);
});

test('decodeJson replaces lone surrogates', () => {
  const { object } = decodeJson<{ data: object }>(Buffer.from('{"data":{"k":"\\ud800"}}'), configMap);
  assert.deepEqual(object.data, { k: '\ufffd' });
});

test('decodeJson replaces invalid UTF-8', () => {
  const bytes = Buffer.concat([Buffer.from('{"metadata":{"name":"a'), Buffer.from([0xff]), Buffer.from('"}}')]);
  assert.equal(decodeJson<{ metadata: { name: string } }>(bytes, pod).object.metadata.name, 'a\ufffd');
});

test('decodeValue shares nothing with what it was given and leaves undefined out', () => {
  const labels = { a: '1' };
  const written = { metadata: { name: 'x', labels, uid: undefined }, data: undefined };
  const { object, strictErrors } = decodeValue<typeof written>(written, configMap, { validation: 'Strict' });
  assert.deepEqual(object, { metadata: { name: 'x', labels } });
  assert.notEqual(object.metadata.labels, labels);
  assert.deepEqual(strictErrors, []);
});

test('decodeValue hands frozen sets of owned fields on as they are, and copies others', () => {
  const setOf = (fieldsV1: object) => {
    const { object } = decodeValue<{ metadata: { managedFields: { fieldsV1: object }[] } }>(
      { metadata: { managedFields: [{ manager: 'm', fieldsV1 }] } },
      pod,
    );
    return object.metadata.managedFields[0]?.fieldsV1;
  };
  const frozen = Object.freeze({ 'f:data': Object.freeze({}) });
  assert.equal(setOf(frozen), frozen);
  const own = { 'f:data': {} };
  assert.notEqual(setOf(own), own);
  assert.deepEqual(setOf(own), own);
});

function unknown(field: string): string {
  return `unknown field ${JSON.stringify(field)}`;
}

function repeated(field: string): string {
  return `duplicate field ${JSON.stringify(field)}`;
}
