import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ValidatingAdmissionPolicy } from '../../generated/types/admissionregistration/v1.ts';
import { policyVariables } from './policy.ts';
import { validatingPolicy } from './validating-policy.ts';

// Each would take a minute if an expression took time by the number of variables.
const variables = Array.from({ length: 20_000 }, (_, index) => ({
  name: `v${index}`,
  expression: index === 0 ? '1' : `variables.v${index - 1} + 1`,
}));

test('policyVariables lets each of thousands of variables name those before it', () => {
  const { causes, types } = policyVariables(variables, {});
  assert.deepEqual(causes, []);
  assert.equal(types.get('v19999')?.kind, 'int');
});

test('policyVariables tells of a variable that names a later one', () => {
  const { causes } = policyVariables(
    [
      { name: 'a', expression: 'variables.b' },
      { name: 'b', expression: '1' },
    ],
    {},
  );
  assert.match(causes[0]?.message ?? '', /undefined field 'b'/);
});

test('validatingPolicy judges thousands of validations that name one of thousands of variables', () => {
  const validations = variables.map(({ name }) => ({ expression: `variables.${name} > 0` }));
  const spec = { variables, validations } as unknown as ValidatingAdmissionPolicy['spec'];
  const causes = validatingPolicy({ metadata: { name: 'a' }, spec } as ValidatingAdmissionPolicy);
  assert.deepEqual(
    causes.filter(({ field }) => /^spec\.(variables|validations)/.test(field)),
    [],
  );
});
