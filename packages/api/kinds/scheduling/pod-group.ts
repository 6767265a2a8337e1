import { PodGroup } from '../../generated/types/scheduling/v1beta1.ts';
import { PodGroup as PodGroupv1alpha3 } from '../../generated/types/scheduling/v1alpha3.ts';
import { invalid, required } from '../../rules/cause.ts';
import { conditions } from '../../rules/conditions.ts';
import { policyCell } from '../../rules/workload/scheduling-policy.ts';
import { age, noneCell } from '../cells.ts';
import { defineVersions } from '../define.ts';

export const podGroup = defineVersions([PodGroup, PodGroupv1alpha3], {
  validateCreate: ({ spec }) =>
    spec.parentCompositePodGroupName !== undefined && !spec.workloadRef
      ? [required('spec.workloadRef', 'must be set when parentCompositePodGroupName is set')]
      : [],
  validateStatusUpdate({ spec, status }) {
    const claims = new Set(spec.resourceClaims?.map(({ name }) => name));
    const detail = 'must match the name of an entry in `spec.resourceClaims`';
    return [
      ...conditions(status.conditions ?? [], 'status.conditions'),
      ...(status.resourceClaimStatuses ?? []).flatMap(({ name }, index) =>
        claims.has(name) ? [] : [invalid(`status.resourceClaimStatuses[${index}].name`, name, detail)],
      ),
    ];
  },
  generation: 'none',
  unconditionalUpdate: false,
  row: (object) => [
    object.metadata.name,
    policyCell(object.spec.schedulingPolicy),
    object.spec.workloadRef?.workloadName ?? noneCell,
    object.status.conditions?.findLast(({ status }) => status === 'True')?.type ?? '',
    age(object),
  ],
});
