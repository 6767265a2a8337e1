import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScalarType } from '@kubernode/machinery';
import { DecodeError } from './decode-error.ts';
import { readScalar } from './read-scalar.ts';

const canonical: readonly (readonly [type: ScalarType, written: unknown, read: unknown])[] = [
  ['quantity', '1000m', '1'],
  ['quantity', '2048Ki', '2Mi'],
  ['quantity', '1024Mi', '1Gi'],
  ['quantity', '100Mi', '100Mi'],
  ['quantity', '5000', '5k'],
  ['quantity', 2, '2'],
  ['time', '2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00Z'],
  ['time', '2026-01-01T00:00:00.999Z', '2026-01-01T00:00:00Z'],
  ['time', '0001-01-01T00:00:00Z', undefined],
  ['microtime', '2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.000001Z'],
  ['duration', '90s', '1m30s'],
  ['duration', '1.5h', '1h30m0s'],
  ['duration', '0', '0s'],
  ['duration', '1500us', '1.5ms'],
  ['bytes', 'YQ==\n', 'YQ=='],
  ['bytes', 'YR==', 'YQ=='],
  ['intOrString', 80, 80],
  ['intOrString', '25%', '25%'],
  ['int64', -0, 0],
  ['int64', 2 ** 53, 2n ** 53n],
  ['int64', 2n ** 63n - 1n, 2n ** 63n - 1n],
  ['int64', -(2n ** 63n), -(2n ** 63n)],
  ['uint64', 2n ** 64n - 1n, 2n ** 64n - 1n],
  ['float64', 2n ** 63n, 2 ** 63],
  ['quantity', 2n ** 53n + 1n, '9007199254740993'],
];

for (const [type, written, read] of canonical) {
  test(`readScalar.${type} reads ${JSON.stringify(written)} as ${JSON.stringify(read)}`, () => {
    assert.equal(readScalar[type](written), read);
  });
}

const refused: readonly (readonly [type: ScalarType, written: unknown])[] = [
  ['quantity', ''],
  ['quantity', '1 Gi'],
  ['quantity', true],
  ['time', ''],
  ['time', '2026-13-01T00:00:00Z'],
  ['time', 5],
  ['microtime', '2026-01-01T00:00:00Z'],
  ['duration', '1 day'],
  ['duration', ''],
  ['bytes', 'YQ='],
  ['bytes', 'Y*=='],
  ['intOrString', 1.5],
  ['intOrString', true],
  ['int32', 2 ** 31],
  ['int32', 2n ** 53n],
  ['int64', 2 ** 63],
  ['int64', 2n ** 63n],
  ['int64', -(2n ** 63n) - 1n],
  ['uint64', 2n ** 64n],
  ['int64', Symbol('1.0')],
  ['intOrString', 2n ** 53n],
  ['uint32', -1],
  ['bool', 'true'],
  ['string', 1],
  ['float64', '1'],
];

for (const [type, written] of refused) {
  test(`readScalar.${type} refuses ${JSON.stringify(written)}`, () => {
    assert.throws(() => readScalar[type](written), DecodeError);
  });
}
