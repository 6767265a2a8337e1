import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chainIds, sha256 } from './manifest.ts';

test('chainIds names each layer by all that is below it', () => {
  const [first, second] = [sha256(Buffer.from('1')), sha256(Buffer.from('2'))];
  const chain = chainIds([first, second]);
  assert.equal(chain[0], first);
  assert.notEqual(chain[1], chainIds([second])[0]);
});

for (const diffId of ['sha256:../images', 'sha256:', '', `sha256:${'A'.repeat(64)}`]) {
  test(`chainIds refuses ${JSON.stringify(diffId)}, which would name another folder`, () => {
    assert.throws(() => chainIds([diffId]), /is not a digest/);
  });
}
