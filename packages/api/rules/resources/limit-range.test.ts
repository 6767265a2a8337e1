import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scheme } from '../../scheme.ts';

test('a limit range whose resources are named like what every object inherits is invalid, not a fault of ours', () => {
  const validate = scheme.byKind('v1', 'LimitRange')!.definition.validate!;
  const amounts = JSON.parse('{"__proto__": "1", "constructor": "2", "toString": "3"}') as Record<string, string>;
  const item = { type: 'Container', min: { toString: '1' }, max: { cpu: '1' }, default: amounts };
  const limits = [item, { ...item, min: amounts, max: {}, defaultRequest: { cpu: '1' } }];
  const causes = validate({ apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'a' }, spec: { limits } } as never);
  assert.ok(
    causes.some(({ field }) => field === 'spec.limits[0].default[constructor]'),
    JSON.stringify(causes),
  );
});
