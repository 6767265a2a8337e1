import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Offer } from './negotiate.ts';

test('Offer remembers what was negotiated, but keeps no long header', () => {
  const offer = new Offer();
  const negotiated = (accept: string) => {
    const first = offer.negotiate(accept);
    assert.equal(first.encoding, 'yaml');
    return { first, again: offer.negotiate(accept) };
  };
  const known = negotiated('application/yaml');
  assert.equal(known.first, known.again);
  const long = negotiated(`application/yaml;x=${'y'.repeat(100_000)}`);
  assert.notEqual(long.first, long.again);
});
