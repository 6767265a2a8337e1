import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapeOf } from '../../shapes.ts';
import { DecodeError } from '../decode-error.ts';
import { decodeProtobuf, encodeProtobuf, isProtobuf, unwrapMessage } from './envelope.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';
import { WireReader } from './wire-reader.ts';
import { encodeWatchFrame, listItemHeader, protobufListEnd, protobufListHead } from './list.ts';

const configMap = shapeOf('core/v1.ConfigMap');
const type = { apiVersion: 'v1', kind: 'ConfigMap' };
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('encodeProtobuf writes zero values that are no pointers, ascending, in an envelope', () => {
  const bytes = encodeProtobuf({ metadata: { name: 'a' }, data: { k: 'v' } }, configMap, type);
  const envelope = '6b387300' + '0a0f' + '0a027631' + '1209436f6e6669674d6170';
  const metadata = '0a11' + '0a0161' + '1200' + '1a00' + '2200' + '2a00' + '3200' + '3800' + '4200';
  const data = '1206' + '0a016b' + '120176';
  assert.equal(hex(bytes), `${envelope}121b${metadata}${data}1a002200`);
  assert.ok(isProtobuf(bytes));
  assert.deepEqual(decodeProtobuf(bytes), {
    ...type,
    object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { k: 'v' } },
  });
});

test('protobufListHead, listItemHeader and protobufListEnd make of messages what their list is', () => {
  const listType = { apiVersion: 'v1', kind: 'ConfigMapList' };
  const metadata = { resourceVersion: '7' };
  for (const sizes of [[], [1, 100], [127, 128, 20_000, 3_000_000]]) {
    const items = sizes.map((size) => ({ metadata: { name: 'a' }, data: { k: 'v'.repeat(size) } }));
    const parts = items
      .map((item) => encodeMessage(item, configMap))
      .flatMap((message) => [listItemHeader(message.length), message]);
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const head = protobufListHead(metadata, length, listType);
    const whole = encodeProtobuf({ metadata, items }, shapeOf('core/v1.ConfigMapList'), listType);
    assert.ok(Buffer.concat([head, ...parts, protobufListEnd]).equals(whole), String(sizes));
  }
});

test('encodeWatchFrame begins with its length', () => {
  const frame = Buffer.from(encodeWatchFrame('ADDED', Buffer.from([1, 2, 3])));
  assert.equal(hex(frame), '0000000e' + '0a054144444544' + '1205' + '0a03010203');
  assert.equal(frame.readUInt32BE(0), frame.length - 4);
});

test('decodeProtobuf passes over fields that it does not know', () => {
  const { message } = unwrapMessage(encodeProtobuf({ metadata: { name: 'a' } }, configMap, type));
  assert.equal(hex(message).slice(0, 4), '0a11');
});

const broken: readonly (readonly [what: string, bytes: string, message: RegExp])[] = [
  ['JSON', Buffer.from('{}').toString('hex'), /does not appear to be a protobuf message/],
  ['a truncated body', '6b3873000a0f0a02', /unexpected EOF/],
  ['an endless number', `6b387300${'ff'.repeat(12)}`, /integer overflow/],
  ['a group', '6b3873000b', /illegal wireType 3/],
  ['an unknown kind', '6b3873000a060a0276311200', /no kind "" is registered for version "v1"/],
  [
    'a field of another type',
    '6b3873000a0f0a0276311209436f6e6669674d617012020801',
    /wrong wireType = 0 for field Metadata/,
  ],
];

for (const [what, bytes, message] of broken) {
  test(`decodeProtobuf refuses ${what}`, () => {
    assert.throws(
      () => decodeProtobuf(Buffer.from(bytes, 'hex')),
      (error) => error instanceof DecodeError && message.test(error.message),
    );
  });
}

test('encodeMessage wraps a named list in a message of its own', () => {
  const shape = shapeOf('meta.k8s.io/v1.APIResource');
  const verbs = ['get', 'list'];
  const bytes = encodeMessage({ verbs }, shape);
  assert.ok(hex(bytes).includes('220b' + '0a03676574' + '0a046c697374'), hex(bytes));
  assert.deepEqual((decodeMessage(new WireReader(bytes), shape) as { verbs: string[] }).verbs, verbs);
});
