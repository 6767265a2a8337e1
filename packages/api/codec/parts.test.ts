import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapeOf } from '../shapes.ts';
import { StatusError } from '../status-error.ts';
import { decodeCbor } from './cbor/decode.ts';
import { decodeFreeJson, decodeJson } from './json.ts';
import { partsMax, sizeOfJson } from './parts.ts';
import { decodeProtobuf, wrapMessage } from './protobuf/envelope.ts';
import { decodeYaml } from './yaml.ts';

const pod = shapeOf('core/v1.Pod');
const envelope = { apiVersion: 'v1', kind: 'Pod' };
const list = (count: number, item = '{}') => `{"a":[${Array(count).fill(item).join()}]}`;
const bytes = (hex: string, count: number) => Buffer.from(hex.repeat(count), 'hex');

function protobufPod(tolerations: number): Uint8Array {
  const size = Buffer.alloc(4);
  for (let at = 0, rest = tolerations * 3; at < 4; at++, rest >>= 7) size[at] = (rest & 127) | (at < 3 ? 128 : 0);
  // The spec is field 2 of a pod, tolerations are field 22 of a spec.
  return wrapMessage(Buffer.concat([bytes('12', 1), size, bytes('b20100', tolerations)]), envelope);
}

/** How each format is read, and the most empty objects of a list that it takes for sure. */
const formats: readonly (readonly [name: string, read: (items: number) => unknown])[] = [
  ['JSON', (items) => decodeJson(Buffer.from(list(items)), pod)],
  ['a patch', (items) => decodeFreeJson(Buffer.from(list(items)))],
  ['numbers with fractions', (items) => decodeFreeJson(Buffer.from(list(items * 2, '1.5')))],
  ['YAML', (items) => decodeYaml(`a:\n${'- {}\n'.repeat(items)}`)],
  ['JSON as YAML', (items) => decodeYaml(list(items))],
  ['CBOR', (items) => decodeCbor(Buffer.concat([bytes('a161619f', 1), bytes('a0', items), bytes('ff', 1)]))],
  ['protobuf', (items) => decodeProtobuf(protobufPod(items), pod)],
];

for (const [name, read] of formats) {
  test(`partsMax bounds ${name}`, () => {
    read(partsMax / 2 - 10);
    assert.throws(
      () => read(partsMax / 2 + 10),
      (error) => error instanceof StatusError && error.reason === 'RequestEntityTooLarge',
    );
  });
}

test('sizeOfJson looks not into strings, and at each character of what is no JSON once', () => {
  assert.deepEqual(sizeOfJson('{"a,{\\"[":["x,,\\\\",1,{}],"b":null}'), { depth: 3, parts: 9 });
  assert.deepEqual(sizeOfJson('["open'), { depth: 1, parts: 2 });
  assert.deepEqual(sizeOfJson(']]}['), { depth: 0, parts: 2 });
});
