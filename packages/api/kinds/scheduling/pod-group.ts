import { PodGroup } from '../../generated/types/scheduling/v1beta1.ts';
import { PodGroup as PodGroupv1alpha3 } from '../../generated/types/scheduling/v1alpha3.ts';
import { policyCell } from '../../rules/scheduling-policy.ts';
import { age, noneCell } from '../cells.ts';
import { defineVersions } from '../define.ts';

export const podGroup = defineVersions([PodGroup, PodGroupv1alpha3], {
  row: (object, nowMs) => [
    object.metadata.name,
    policyCell(object.spec.schedulingPolicy),
    object.spec.workloadRef?.workloadName ?? noneCell,
    object.status.conditions?.findLast(({ status }) => status === 'True')?.type ?? '',
    age(object, nowMs),
  ],
});
