import { Workload } from '../../generated/types/scheduling/v1beta1.ts';
import { Workload as Workloadv1alpha3 } from '../../generated/types/scheduling/v1alpha3.ts';
import { workloadTemplates } from '../../rules/workload/workload-templates.ts';
import { age } from '../cells.ts';
import { defineVersions } from '../define.ts';

export const workload = defineVersions([Workload, Workloadv1alpha3], {
  validate: ({ spec }) => workloadTemplates(spec),
  unconditionalUpdate: false,
  row: (object) => [object.metadata.name, age(object)],
});
