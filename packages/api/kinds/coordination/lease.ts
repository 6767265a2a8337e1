import { Lease, type LeaseSpec } from '../../generated/types/coordination/v1.ts';
import { forbidden } from '../../rules/cause.ts';
import { leaseStrategy } from '../../rules/lease-strategy.ts';
import { all, fields, type Rule, validate } from '../../rules/rule.ts';
import { nonNegative, positive } from '../../rules/values.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

const preferredHolder: Rule<LeaseSpec> = ({ preferredHolder: holder, strategy }, path) =>
  holder && !strategy ? [forbidden(`${path}.preferredHolder`, 'may only be specified if `strategy` is defined')] : [];

const spec = all<LeaseSpec>(
  fields<LeaseSpec>({ leaseDurationSeconds: positive, leaseTransitions: nonNegative, strategy: leaseStrategy }),
  preferredHolder,
);

export const lease = define(Lease, {
  validate: validate<Lease>(fields<Lease>({ spec })),
  createOnUpdate: true,
  unconditionalUpdate: false,
  row: (object) => [object.metadata.name, object.spec.holderIdentity ?? '', age(object)],
});
