import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJsonExactly, seededRandom } from '@kubernode/machinery';
import { scheme } from '../scheme.ts';
import { decodeCbor } from './cbor/decode.ts';
import { encodeCbor } from './cbor/encode.ts';
import { decodeJson, decodeValue, encodeJsonText } from './json.ts';
import { decodeProtobuf, encodeProtobuf } from './protobuf/envelope.ts';
import { randomObject } from './testing/random-object.ts';

/** Objects of each kind; more for a long run. */
const numRuns = Number(process.env['KUBERNODE_FUZZ_RUNS'] ?? 4);
/** As a failure has printed it; otherwise each run takes another one. */
const seed = Number(process.env['KUBERNODE_FUZZ_SEED'] ?? Date.now() % 2 ** 31);

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
        const disordered = disorder(parseJsonExactly(text));
        const ordered = decodeJson(Buffer.from(JSON.stringify(disordered)), shape, { validation: 'Strict' });
        assert.deepEqual(ordered.strictErrors, []);
        assert.equal(encodeJsonText(ordered.object, shape), text);
        assert.equal(encodeJsonText(disordered, shape), text);
        const decoded = decodeProtobuf(encodeProtobuf(object, shape, type));
        assert.equal(encodeJsonText(decoded.object, shape), text);
        const concise = decodeValue(decodeCbor(encodeCbor(object, shape)), shape, { validation: 'Strict' });
        assert.deepEqual(concise.strictErrors, []);
        assert.equal(encodeJsonText(concise.object, shape), text);
      }),
      { numRuns, seed },
    );
  });
}

/** The same with the keys of all objects the other way round, but of those that nobody orders: they are kept as they are. */
function disorder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(disorder);
  if ('kind' in value && value.kind === 'Any') return value;
  const reversed = Object.entries(value).reverse();
  return Object.fromEntries(reversed.map(([key, item]) => [key, disorder(item)]));
}
