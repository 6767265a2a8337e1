import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJsonExactly } from '@kubernode/machinery';
import { JsonLines } from './json-lines.ts';

test('JsonLines answers the same values however the stream is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue()),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      (values, cuts) => {
        const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join('') + '"é"');
        const lines = new JsonLines();
        const result: unknown[] = [];
        for (let at = 0, i = 0; at < bytes.length; at += cuts[i++ % cuts.length]!) {
          result.push(...lines.push(bytes.subarray(at, at + cuts[i % cuts.length]!)));
        }
        result.push(...lines.end());
        assert.deepEqual(result, parseJsonExactly(JSON.stringify([...values, 'é'])));
      },
    ),
    { numRuns: 100 },
  );
});

test('JsonLines keeps integers that a number does not hold, so that they are written back as they were', () => {
  const line = '{"spec":{"i":9007199254740993}}';
  assert.equal(JSON.stringify(new JsonLines().push(Buffer.from(`${line}\n`))[0]), line);
});
