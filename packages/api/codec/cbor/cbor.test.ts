import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { shapeOf } from '../../shapes.ts';
import { decodeCbor } from './decode.ts';
import { cborAroundItems, encodeCbor, encodeCborEvent, encodeCborItem } from './encode.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** RFC 8949, appendix A, as far as JSON can say it; and what KEP-4222 adds. */
const items: readonly (readonly [bytes: string, value: unknown])[] = [
  ['00', 0],
  ['1818', 24],
  ['1903e8', 1000],
  ['1a000f4240', 1_000_000],
  ['1b000000e8d4a51000', 1_000_000_000_000],
  ['3863', -100],
  ['f90000', 0],
  ['f93e00', 1.5],
  ['f90001', 5.960464477539063e-8],
  ['fa47c35000', 100_000],
  ['fb3ff199999999999a', 1.1],
  ['f4', false],
  ['f5', true],
  ['f6', null],
  ['6161', 'a'],
  ['4161', 'a'],
  ['62c3bc', 'ü'],
  ['83010203', [1, 2, 3]],
  ['a26161016162820203', { a: 1, b: [2, 3] }],
  ['a241610141629f02ff', { a: 1, b: [2] }],
  ['bf6161019f02ffff', undefined],
  ['5f42010243030405ff', '\u0001\u0002\u0003\u0004\u0005'],
  ['7f657374726561646d696e67ff', 'streaming'],
  ['d6420001', 'AAE='],
  ['d5420001', 'AAE'],
  ['d7420001', '0001'],
  ['c074323031332d30332d32315432303a30343a30305a', '2013-03-21T20:04:00Z'],
  ['c11a514b67b0', '2013-03-21T20:04:00Z'],
  ['c1fb41d452d9ec200000', '2013-03-21T20:04:00.5Z'],
  ['d9d9f7a0', {}],
  ['d818456449455446', 'dIETF'],
  ['a1695f5f70726f746f5f5f01', JSON.parse('{"__proto__":1}')],
];

for (const [bytes, value] of items) {
  test(`decodeCbor ${value === undefined ? 'refuses' : 'reads'} ${bytes}`, () => {
    if (value === undefined) assert.throws(() => decodeCbor(hex(bytes)), { name: 'DecodeError' });
    else assert.deepEqual(decodeCbor(hex(bytes)), value);
  });
}

const refused: readonly (readonly [name: string, bytes: string, message: RegExp])[] = [
  ['a repeated key', 'a2 6161 01 6161 02', /duplicate map key "a" at map element index 1/],
  ['a key that is written twice, as text and as bytes', 'a2 6161 01 4161 02', /duplicate map key/],
  ['a key that is a number', 'a1 01 02', /map key/],
  ['invalid UTF-8', '61 ff', /invalid UTF-8/],
  ['not a number', 'f97e00', /NaN and infinity/],
  ['infinity', 'fa7f800000', /NaN and infinity/],
  ['an integer beyond int64', '1b8000000000000000', /positive integer into Go value of type int64/],
  ['a negative integer beyond int64', '3b8000000000000000', /negative integer/],
  ['a bignum', 'c2 49 010000000000000000', /bignum/],
  ['undefined', 'f7', /simple value 23/],
  ['a simple value', 'f8ff', /simple value 255/],
  ['more than one item', '00 00', /1 bytes of extraneous data starting at index 1/],
  ['nothing', '', /unexpected EOF/],
  ['a list that promises too much', '9b00ffffffffffffff', /unexpected EOF/],
  ['a string that promises too much', '5bffffffffffffffff', /unexpected EOF/],
  ['a break by itself', 'ff', /break/],
  ['reserved information', '1c', /additional information 28/],
  ['depth', '81'.repeat(20_000), /max nested level/],
  ['depth by tags', 'd9d9f7'.repeat(20_000), /max nested level/],
];

for (const [name, bytes, message] of refused) {
  test(`decodeCbor refuses ${name}`, () => {
    assert.throws(() => decodeCbor(hex(bytes)), { name: 'DecodeError', message });
  });
}

test('encodeCbor is deterministic: keys by their bytes, the shorter ones first', () => {
  const bytes = encodeCbor({ bb: 1, a: [true, null, -1, 0.5], c: 'x' }, undefined);
  assert.equal(Buffer.from(bytes).toString('hex'), `d9d9f7a3416184f5f620f93800416341784262${'62'}01`);
});

test('encodeCbor tags bytes, and keeps times texts', () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', creationTimestamp: '2026-01-01T00:00:00Z' },
    data: { k: 'AAE=' },
  };
  const bytes = Buffer.from(encodeCbor(secret, shapeOf('core/v1.Secret')));
  assert.ok(bytes.includes(hex('41 6b d6 42 00 01')));
  assert.deepEqual(decodeCbor(bytes), secret);
});

test('encodeCborEvent puts an object into its event', () => {
  const bytes = encodeCborEvent('ADDED', { kind: 'ConfigMap', apiVersion: 'v1' }, undefined);
  assert.deepEqual(decodeCbor(bytes), { type: 'ADDED', object: { kind: 'ConfigMap', apiVersion: 'v1' } });
});

test('cborAroundItems and encodeCborItem make what encodeCbor makes as a whole', () => {
  const secret = shapeOf('core/v1.Secret');
  const list = { kind: 'SecretList', apiVersion: 'v1', metadata: { resourceVersion: '7' } };
  for (const count of [0, 1, 30, 300]) {
    const items = Array.from({ length: count }, (_, index) => ({
      metadata: { name: `${index}` },
      data: { k: 'Ynl0ZXM=' },
    }));
    for (const [shape, itemShape] of [[shapeOf('core/v1.SecretList'), secret], []] as const) {
      const { before, after } = cborAroundItems(list, { field: 'items', count, shape });
      const parts = items.map((item) => encodeCborItem(item, itemShape));
      const whole = encodeCbor({ ...list, items }, shape);
      assert.deepEqual(Buffer.concat([before, ...parts, after]), Buffer.from(whole));
    }
  }
});

test('decodeCbor reads what encodeCbor writes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json: unknown = JSON.parse(JSON.stringify(value));
      assert.deepEqual(decodeCbor(encodeCbor(json, undefined)), json);
    }),
  );
});

test('decodeCbor never throws anything but a DecodeError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      try {
        decodeCbor(bytes);
      } catch (error) {
        assert.equal((error as Error).name, 'DecodeError');
      }
    }),
  );
});
