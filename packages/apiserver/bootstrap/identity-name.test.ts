import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityName } from './identity-lease.ts';

test('identityName is what upstream calls the Lease of that host', () => {
  assert.equal(identityName('vm'), 'apiserver-wlv32tlttr4jl3gtroqexyxapa');
});
