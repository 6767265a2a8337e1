import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withStatusCondition } from './conditions.ts';

test('withStatusCondition keeps places, and the time while the status stays', () => {
  const [t0, t1] = ['1970-01-01T00:00:00Z', '1970-01-01T00:00:01Z'];
  const ready = withStatusCondition<{ type: string; status: string; reason?: string }>(
    [{ type: 'Other', status: 'True' }],
    { type: 'Ready', status: 'False' },
    0,
  );
  assert.deepEqual(ready[1], { type: 'Ready', status: 'False', lastTransitionTime: t0 });
  const same = withStatusCondition(ready, { type: 'Ready', status: 'False', reason: 'Other' }, 1000);
  assert.deepEqual(same[1], { type: 'Ready', status: 'False', reason: 'Other', lastTransitionTime: t0 });
  const changed = withStatusCondition(same, { type: 'Other', status: 'False' }, 1000);
  assert.deepEqual(changed[0], { type: 'Other', status: 'False', lastTransitionTime: t1 });
  assert.equal(changed.length, 2);
});
