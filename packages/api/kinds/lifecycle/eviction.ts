import { Eviction } from '../../generated/types/lifecycle/v1alpha1.ts';
import { conditionCell, conditions } from '../../rules/conditions.ts';
import { age, ageCell } from '../cells.ts';
import { define } from '../define.ts';

export const eviction = define(Eviction, {
  validateStatusUpdate: ({ status }) => conditions(status?.conditions ?? [], 'status.conditions'),
  unconditionalUpdate: false,
  row: (object) => {
    const active = object.status?.responders?.find(({ startTime, completionTime }) => startTime && !completionTime);
    return [
      object.metadata.name,
      object.spec.target.pod?.name ?? '',
      object.spec.target.pod ? 'Pod' : '',
      conditionCell(object.status?.conditions),
      active?.name ?? '',
      active ? 'Active' : '',
      ageCell(active?.expectedCompletionTime),
      (object.status?.requesters ?? []).map(({ name }) => name).join(','),
      age(object),
      ageCell(active?.heartbeatTime),
      active?.message ?? '',
    ];
  },
});
