import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seededRandom } from '@kubernode/machinery';
import { scheme } from '../scheme.ts';
import { decodeCbor } from './cbor/decode.ts';
import { encodeCbor } from './cbor/encode.ts';
import { decodeJson, decodeValue, encodeJsonText } from './json.ts';
import { decodeProtobuf, encodeProtobuf } from './protobuf/envelope.ts';
import { randomObject } from './testing/random-object.ts';

/** Objects of each kind; more for a long run. */
const numRuns = Number(process.env['KUBERNODE_FUZZ_RUNS'] ?? 4);

for (const { kind, shape } of scheme.resources) {
  const type = { apiVersion: kind.apiVersion, kind: kind.kind };

  test(`${type.apiVersion} ${type.kind} is the same after JSON, protobuf and CBOR`, () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const written = { ...randomObject(shape, seededRandom(seed)), ...type };
        const { object, strictErrors } = decodeValue(written, shape, { validation: 'Strict' });
        assert.deepEqual(strictErrors, []);
        const text = encodeJsonText(object, shape);
        const again = decodeJson(Buffer.from(text), shape, { validation: 'Strict' });
        assert.deepEqual(again.strictErrors, []);
        assert.equal(encodeJsonText(again.object, shape), text);
        const decoded = decodeProtobuf(encodeProtobuf(object, shape, type));
        assert.equal(encodeJsonText(decoded.object, shape), text);
        const concise = decodeValue(decodeCbor(encodeCbor(object, shape)), shape, { validation: 'Strict' });
        assert.deepEqual(concise.strictErrors, []);
        assert.equal(encodeJsonText(concise.object, shape), text);
      }),
      { numRuns },
    );
  });
}
