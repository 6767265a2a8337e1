import { CompositePodGroup } from '../../generated/types/scheduling/v1alpha3.ts';
import { conditions } from '../../rules/conditions.ts';
import { policyCell } from '../../rules/workload/scheduling-policy.ts';
import { age, noneCell } from '../cells.ts';
import { define } from '../define.ts';

export const compositePodGroup = define(CompositePodGroup, {
  validateStatusUpdate: ({ status }) => conditions(status.conditions ?? [], 'status.conditions'),
  generation: 'none',
  unconditionalUpdate: false,
  row: (object) => [
    object.metadata.name,
    policyCell(object.spec.schedulingPolicy),
    object.spec.workloadRef?.workloadName ?? noneCell,
    age(object),
  ],
});
