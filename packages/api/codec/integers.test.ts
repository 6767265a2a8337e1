import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapeOf } from '../shapes.ts';
import { decodeCbor } from './cbor/decode.ts';
import { encodeCbor } from './cbor/encode.ts';
import { DecodeError } from './decode-error.ts';
import { decodeFreeJson, decodeJson, decodeValue, encodeJsonText } from './json.ts';
import { decodeProtobuf, encodeProtobuf } from './protobuf/envelope.ts';
import { decodeYaml, encodeYaml } from './yaml.ts';

/*
 * What kube-apiserver 1.37 stores of a number, as it is written in a body, or how it refuses it. All of it was asked of
 * one.
 */

interface Place {
  readonly type: string;
  readonly body: (literal: string) => string;
  readonly field: string;
}

const podGrace: Place = {
  type: 'core/v1.Pod',
  body: (literal) => `{"spec": {"terminationGracePeriodSeconds": ${literal}, "containers": []}}`,
  field: 'PodSpec.spec.terminationGracePeriodSeconds of type int64',
};
const port: Place = {
  type: 'core/v1.Pod',
  body: (literal) => `{"spec": {"containers": [{"ports": [{"containerPort": ${literal}}]}]}}`,
  field: 'ContainerPort.spec.containers.ports.containerPort of type int32',
};
const group: Place = {
  type: 'core/v1.Pod',
  body: (literal) => `{"spec": {"securityContext": {"supplementalGroups": [${literal}]}, "containers": []}}`,
  field: 'PodSecurityContext.spec.securityContext.supplementalGroups of type int64',
};
const targetPort: Place = {
  type: 'core/v1.Service',
  body: (literal) => `{"spec": {"ports": [{"targetPort": ${literal}}]}}`,
  field: 'ServicePort.spec.ports.targetPort of type int32',
};
const quota: Place = { type: 'core/v1.ResourceQuota', body: (cpu) => `{"spec": {"hard": {"cpu": ${cpu}}}}`, field: '' };
const revisionData: Place = {
  type: 'apps/v1.ControllerRevision',
  body: (literal) => `{"data": {"a": [${literal}]}, "revision": 1}`,
  field: '',
};
const maximum: Place = {
  type: 'apiextensions.k8s.io/v1.JSONSchemaProps',
  body: (literal) => `{"maximum": ${literal}}`,
  field: '',
};
const schemaDefault: Place = {
  type: 'apiextensions.k8s.io/v1.JSONSchemaProps',
  body: (literal) => `{"default": {"a": ${literal}}}`,
  field: '',
};

const refused = Symbol('refused');
type Printed = string | typeof refused;

const cases: readonly (readonly [place: Place, literal: string, printed: Printed, ofYaml?: Printed])[] = [
  [podGrace, '9007199254740991', '9007199254740991'],
  [podGrace, '9007199254740993', '9007199254740993'],
  [podGrace, '-9007199254740993', '-9007199254740993'],
  [podGrace, '9223372036854775807', '9223372036854775807'],
  [podGrace, '-9223372036854775808', '-9223372036854775808'],
  [podGrace, '9223372036854775808', refused],
  [podGrace, '-9223372036854775809', refused],
  [podGrace, '123456789012345678901234', refused],
  [podGrace, '1.0', refused, '1'],
  [podGrace, '1e3', refused, '1000'],
  [podGrace, '1e18', refused, '1000000000000000000'],
  [podGrace, '9007199254740993.0', refused, '9007199254740992'],
  [podGrace, '1.50', refused],
  [podGrace, '1E400', refused],
  [podGrace, '-0', '0'],
  [group, '9007199254740993', '9007199254740993'],
  [group, '1.0', refused, '1'],
  [port, '9007199254740993', refused],
  [port, '2147483648', refused],
  [targetPort, '9007199254740993', refused],
  [targetPort, '1.0', refused, '1'],
  [quota, '9007199254740993', '"9007199254740993"'],
  [quota, '123456789012345678901234', '"123456789012345678901234"', '"123456789012345690e6"'],
  [quota, '1e3', '"1e3"', '"1k"'],
  [revisionData, '9223372036854775807', '9223372036854775807'],
  // Upstream keeps the text of raw parts; here they are values, as all else is.
  [revisionData, '123456789012345678901234', '1.2345678901234569e+23'],
  [maximum, '9007199254740993', '9007199254740992'],
  [maximum, '9223372036854775807', '9223372036854776000'],
  [schemaDefault, '9223372036854775807', '9223372036854775807'],
  [schemaDefault, '9223372036854775808', '9223372036854776000'],
  [schemaDefault, '18446744073709551616', '18446744073709552000'],
];

for (const [place, literal, printed, ofYaml = printed] of cases) {
  const shape = shapeOf(place.type);
  const text = place.body(literal);

  test(`decodeJson ${printed === refused ? 'refuses' : 'takes'} ${literal} in ${place.type}`, () => {
    const read = () => encodeJsonText(decodeJson(Buffer.from(text), shape).object, shape);
    if (printed !== refused) return assertPrinted(read(), printed);
    assert.throws(read, { message: `json: cannot unmarshal number ${literal} into Go struct field ${place.field}` });
  });

  test(`decodeYaml ${ofYaml === refused ? 'refuses' : 'takes'} ${literal} in ${place.type}`, () => {
    const read = () => encodeJsonText(decodeValue(decodeYaml(text).value, shape).object, shape);
    if (ofYaml === refused) assert.throws(read, DecodeError);
    else assertPrinted(read(), ofYaml);
  });

  if (printed === refused) continue;
  test(`protobuf, CBOR and YAML carry ${literal} in ${place.type}`, () => {
    const { object } = decodeJson(Buffer.from(text), shape);
    const json = encodeJsonText(object, shape);
    const type = { apiVersion: place.type.replace(/^core\/|\.[^.]*$/g, ''), kind: place.type.replace(/^.*\./, '') };
    const message = decodeProtobuf<Record<string, unknown>>(encodeProtobuf(object, shape, type), shape).object;
    if (!json.startsWith('{"kind"')) for (const key of ['kind', 'apiVersion']) delete message[key];
    assert.equal(encodeJsonText(message, shape), json);
    assert.equal(encodeJsonText(decodeValue(decodeCbor(encodeCbor(object, shape)), shape).object, shape), json);
    const yaml = encodeYaml(object);
    assert.equal(encodeJsonText(decodeValue(decodeYaml(yaml).value, shape).object, shape), json);
  });
}

function assertPrinted(json: string, printed: string): void {
  assert.ok(
    [':', ':[', '"a":['].some((before) => json.includes(before + printed)),
    `${json} has no ${printed}`,
  );
}

test('encodeProtobuf writes the largest integers in as few bytes as Go', () => {
  const shape = shapeOf('core/v1.SleepAction');
  const hexOf = (seconds: bigint) =>
    Buffer.from(encodeProtobuf({ seconds }, shape, { apiVersion: '', kind: '' })).toString('hex');
  assert.match(hexOf(2n ** 63n - 1n), /08ffffffffffffffff7f1a/);
  assert.match(hexOf(-(2n ** 63n)), /08808080808080808080011a/);
  assert.match(hexOf(2n ** 53n + 1n), /0881808080808080101a/);
});

test('decodeFreeJson keeps integers, and leaves fractions to whoever asks for them', () => {
  const bytes = Buffer.from('{"a":9007199254740993,"b":[1.0,12345678901234567890]}');
  assert.deepEqual(decodeFreeJson(bytes).object, { a: 9007199254740993n, b: [1, 12345678901234567000] });
  const { object } = decodeFreeJson(bytes, { keepsFractions: true });
  assert.equal(typeof (object as { b: unknown[] }).b[0], 'symbol');
  assert.deepEqual(decodeValue({ maximum: (object as { b: unknown[] }).b[0] }, shapeOf(maximum.type)).object, {
    maximum: 1,
  });
});
