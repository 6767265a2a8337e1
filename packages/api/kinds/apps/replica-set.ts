import { ReplicaSet, type ReplicaSetSpec, type ReplicaSetStatus } from '../../generated/types/apps/v1.ts';
import { podTemplateDefaults } from '../../rules/pod/defaults.ts';
import { podTemplate } from '../../rules/pod/spec.ts';
import { all, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { selectedTemplate, workloadSelector } from '../../rules/selector.ts';
import { immutable, nonNegative } from '../../rules/values.ts';
import { counts, noMoreThan, replicaCounts } from '../../rules/workload/workload.ts';
import { workloadWarnings } from '../../rules/workload/workload-warnings.ts';
import { age, containerCells, selectorCell } from '../cells.ts';
import { define } from '../define.ts';

const spec = all<ReplicaSetSpec>(
  fields<ReplicaSetSpec>({
    replicas: nonNegative,
    minReadySeconds: nonNegative,
    selector: workloadSelector('deployment'),
  }),
  selectedTemplate<ReplicaSetSpec>(podTemplate({ only: 'Always' })),
);

const status = all<ReplicaSetStatus>(
  replicaCounts as Rule<ReplicaSetStatus>,
  counts<ReplicaSetStatus>('fullyLabeledReplicas', 'terminatingReplicas'),
  noMoreThan<ReplicaSetStatus>('fullyLabeledReplicas', 'replicas'),
);

export const replicaSet = define(ReplicaSet, {
  defaults({ spec: wanted }) {
    wanted.replicas ??= 1;
    podTemplateDefaults(wanted.template);
  },
  validate: validate<ReplicaSet>(fields<ReplicaSet>({ spec })),
  validateUpdate: validateUpdate<ReplicaSet>(
    fields<ReplicaSet>({ spec: fields<ReplicaSetSpec>({ selector: immutable }) }),
  ),
  validateStatusUpdate: validateUpdate<ReplicaSet>(fields<ReplicaSet>({ status })),
  warnings: workloadWarnings(({ spec: { template } }) => template, 'spec.template', { namesHosts: true }),
  scale: { specReplicas: 'spec.replicas', statusReplicas: 'status.replicas', selector: 'spec.selector' },
  row: (object) => [
    object.metadata.name,
    object.spec.replicas ?? 0,
    object.status.replicas,
    object.status.readyReplicas ?? 0,
    age(object),
    ...containerCells(object.spec.template),
    selectorCell(object.spec.selector),
  ],
});
