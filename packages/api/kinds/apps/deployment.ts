import { Deployment, type DeploymentSpec, type DeploymentStatus } from '../../generated/types/apps/v1.ts';
import { forbidden, invalid, notSupported, required as requiredCause } from '../../rules/cause.ts';
import { podTemplateDefaults } from '../../rules/pod/defaults.ts';
import { podTemplate } from '../../rules/pod/spec.ts';
import { all, at, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { selectedTemplate, workloadSelector } from '../../rules/selector.ts';
import { immutable, nonNegative } from '../../rules/values.ts';
import {
  atMostAll,
  counts,
  intOrPercent,
  isNone,
  noMoreThan,
  notLowered,
  replicaCounts,
} from '../../rules/workload/workload.ts';
import { workloadWarnings } from '../../rules/workload/workload-warnings.ts';
import { age, containerCells, selectorCell } from '../cells.ts';
import { define } from '../define.ts';

const strategy: Rule<DeploymentSpec['strategy']> = ({ type, rollingUpdate }, path) => {
  const at = `${path}.rollingUpdate`;
  if (type === 'Recreate') {
    return rollingUpdate ? [forbidden(at, "may not be specified when strategy `type` is 'Recreate'")] : [];
  }
  if (type !== 'RollingUpdate') return [notSupported(path, { type, rollingUpdate }, ['Recreate', 'RollingUpdate'])];
  if (!rollingUpdate) return [requiredCause(at, 'this should be defaulted and never be nil')];
  const { maxSurge, maxUnavailable } = rollingUpdate;
  const found = [...bounds(rollingUpdate, at)];
  if (isNone(maxSurge) && isNone(maxUnavailable)) {
    found.push(invalid(`${at}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  return found;
};

const bounds = fields<NonNullable<DeploymentSpec['strategy']['rollingUpdate']>>({
  maxSurge: intOrPercent,
  maxUnavailable: all(intOrPercent, atMostAll),
});

const deadline: Rule<DeploymentSpec> = ({ progressDeadlineSeconds: seconds, minReadySeconds = 0 }, path) =>
  seconds !== undefined && seconds <= minReadySeconds
    ? [invalid(`${path}.progressDeadlineSeconds`, seconds, 'must be greater than minReadySeconds')]
    : [];

const spec = all<DeploymentSpec>(
  fields<DeploymentSpec>({
    replicas: nonNegative,
    selector: workloadSelector('deployment'),
    strategy,
    minReadySeconds: nonNegative,
    revisionHistoryLimit: nonNegative,
    progressDeadlineSeconds: nonNegative,
  }),
  deadline,
  selectedTemplate<DeploymentSpec>(podTemplate({ only: 'Always' })),
);

const status = all<DeploymentStatus>(
  replicaCounts as Rule<DeploymentStatus>,
  counts<DeploymentStatus>('updatedReplicas', 'unavailableReplicas', 'terminatingReplicas', 'collisionCount'),
  noMoreThan<DeploymentStatus>('updatedReplicas', 'replicas'),
  notLowered<DeploymentStatus>('collisionCount'),
);

export const deployment = define(Deployment, {
  defaults({ spec: wanted }) {
    wanted.replicas ??= 1;
    wanted.revisionHistoryLimit ??= 10;
    wanted.progressDeadlineSeconds ??= 600;
    wanted.strategy.type ||= 'RollingUpdate';
    if (wanted.strategy.type === 'RollingUpdate') {
      wanted.strategy.rollingUpdate ??= {};
      wanted.strategy.rollingUpdate.maxSurge ??= '25%';
      wanted.strategy.rollingUpdate.maxUnavailable ??= '25%';
    }
    podTemplateDefaults(wanted.template);
  },
  validate: validate<Deployment>(fields<Deployment>({ spec })),
  validateUpdate: validateUpdate<Deployment>(at('spec', fields<DeploymentSpec>({ selector: immutable }))),
  validateStatusUpdate: validateUpdate<Deployment>(fields<Deployment>({ status })),
  warnings: workloadWarnings(({ spec: { template } }) => template, 'spec.template', { namesHosts: true }),
  generation: 'spec-and-annotations',
  scale: { specReplicas: 'spec.replicas', statusReplicas: 'status.replicas', selector: 'spec.selector' },
  row: (object) => [
    object.metadata.name,
    `${object.status.readyReplicas ?? 0}/${object.spec.replicas ?? 0}`,
    object.status.updatedReplicas ?? 0,
    object.status.availableReplicas ?? 0,
    age(object),
    ...containerCells(object.spec.template),
    object.spec.selector ? selectorCell(object.spec.selector) : '',
  ],
});
