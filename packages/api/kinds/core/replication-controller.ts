import {
  ReplicationController,
  type ReplicationControllerSpec,
  type ReplicationControllerStatus,
} from '../../generated/types/core/v1.ts';
import { invalid, required as requiredCause } from '../../rules/cause.ts';
import { pathSegment, subdomainName } from '../../rules/names.ts';
import { podTemplateDefaults } from '../../rules/pod/defaults.ts';
import { podTemplate } from '../../rules/pod/spec.ts';
import { all, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { nonNegative, orRequired, requiredEntries } from '../../rules/values.ts';
import { counts, noMoreThan, replicaCounts } from '../../rules/workload/workload.ts';
import { workloadWarnings } from '../../rules/workload/workload-warnings.ts';
import { age, containerCells, labelsCell } from '../cells.ts';
import { define } from '../define.ts';

const template: Rule<ReplicationControllerSpec> = (spec, path) => {
  const at = `${path}.template`;
  if (!spec.template) return [requiredCause(at)];
  const labels = spec.template.metadata.labels ?? {};
  const found = [...podTemplate({ only: 'Always' })(spec.template, at)];
  const matches = Object.entries(spec.selector ?? {}).every(([key, value]) => labels[key] === value);
  if (!matches) found.push(invalid(`${at}.metadata.labels`, labels, '`selector` does not match template `labels`'));
  return found;
};

const spec = all<ReplicationControllerSpec>(
  fields<ReplicationControllerSpec>({
    minReadySeconds: nonNegative,
    selector: requiredEntries,
    replicas: orRequired(nonNegative),
  }),
  template,
);

const status = all<ReplicationControllerStatus>(
  replicaCounts as Rule<ReplicationControllerStatus>,
  counts<ReplicationControllerStatus>('fullyLabeledReplicas'),
  noMoreThan<ReplicationControllerStatus>('fullyLabeledReplicas', 'replicas'),
);

export const replicationController = define(ReplicationController, {
  validateName: (name, isPrefix) => (isPrefix ? pathSegment(name, true) : subdomainName(name, false)),
  defaults(object) {
    const { spec: wanted, metadata } = object;
    wanted.replicas ??= 1;
    if (!wanted.template) return;
    const { labels } = wanted.template.metadata;
    if (labels && !wanted.selector) wanted.selector = { ...labels };
    if (labels && !metadata.labels) metadata.labels = { ...labels };
    podTemplateDefaults(wanted.template);
  },
  validate: validate<ReplicationController>(fields<ReplicationController>({ spec })),
  validateStatusUpdate: validateUpdate<ReplicationController>(fields<ReplicationController>({ status })),
  warnings: workloadWarnings(({ spec: { template: made } }) => made, 'spec.template', { namesHosts: true }),
  scale: { specReplicas: 'spec.replicas', statusReplicas: 'status.replicas', selector: 'spec.selector' },
  selectableFields: { 'status.replicas': (object) => String(object.status.replicas) },
  row: (object) => [
    object.metadata.name,
    object.spec.replicas ?? 0,
    object.status.replicas,
    object.status.readyReplicas ?? 0,
    age(object),
    ...containerCells(object.spec.template),
    labelsCell(object.spec.selector),
  ],
});
