import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerResourceName, resourceRequirements } from './resources.ts';

const requirements = resourceRequirements(containerResourceName);

const claimsOf = (claims: readonly { name: string; request?: string }[]) =>
  requirements({ claims: [...claims] }, 'r', undefined, { claimNames: new Set(['a', 'b']) });

test('requirements name a claim once, as a whole or request by request', () => {
  const claims = [
    { name: 'a', request: 'x' },
    { name: 'a', request: 'y' },
    { name: 'a', request: 'x' },
    { name: 'a' },
    { name: 'a' },
    { name: 'b' },
  ];
  const fields = claimsOf(claims).map(({ field }) => field);
  assert.deepEqual(fields, ['r.claims[2]', 'r.claims[3]', 'r.claims[3]', 'r.claims[4]']);
});

// It would take minutes if each claim were compared with all before it.
test('requirements judge tens of thousands of claims', () => {
  const claims = Array.from({ length: 60_000 }, (_, index) => ({ name: `c${index}` }));
  const claimNames = new Set(claims.map(({ name }) => name));
  assert.deepEqual(requirements({ claims }, 'r', undefined, { claimNames }), []);
});
