import { Lease, type LeaseSpec } from '../../generated/types/coordination/v1.ts';
import { fields, validate } from '../../rules/rule.ts';
import { nonNegative, positive } from '../../rules/values.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

export const lease = define(Lease, {
  validate: validate<Lease>(
    fields<Lease>({ spec: fields<LeaseSpec>({ leaseDurationSeconds: positive, leaseTransitions: nonNegative }) }),
  ),
  createOnUpdate: true,
  unconditionalUpdate: false,
  row: (object, nowMs) => [object.metadata.name, object.spec.holderIdentity ?? '', age(object, nowMs)],
});
