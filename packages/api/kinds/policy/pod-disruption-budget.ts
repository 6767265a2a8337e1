import {
  PodDisruptionBudget,
  type PodDisruptionBudgetSpec,
  type PodDisruptionBudgetStatus,
} from '../../generated/types/policy/v1.ts';
import { invalid } from '../../rules/cause.ts';
import { conditions } from '../../rules/conditions.ts';
import { pathSegment } from '../../rules/names.ts';
import { all, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { labelSelector } from '../../rules/selector.ts';
import { oneOf } from '../../rules/values.ts';
import { atMostAll, counts, intOrPercent } from '../../rules/workload/workload.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

const amount = all(intOrPercent, atMostAll);

const onlyOne: Rule<PodDisruptionBudgetSpec> = (spec, path) =>
  spec.minAvailable !== undefined && spec.maxUnavailable !== undefined
    ? [invalid(path, spec, 'minAvailable and maxUnavailable cannot be both set')]
    : [];

const spec = all<PodDisruptionBudgetSpec>(
  onlyOne,
  fields<PodDisruptionBudgetSpec>({
    minAvailable: amount,
    maxUnavailable: amount,
    selector: labelSelector,
    unhealthyPodEvictionPolicy: oneOf('AlwaysAllow', 'IfHealthyBudget'),
  }),
);

const status = all<PodDisruptionBudgetStatus>(
  counts<PodDisruptionBudgetStatus>('currentHealthy', 'desiredHealthy', 'disruptionsAllowed', 'expectedPods'),
  fields<PodDisruptionBudgetStatus>({ conditions }),
);

export const podDisruptionBudget = define(PodDisruptionBudget, {
  validateName: pathSegment,
  validate: validate<PodDisruptionBudget>(fields<PodDisruptionBudget>({ spec })),
  validateStatusUpdate: validateUpdate<PodDisruptionBudget>(fields<PodDisruptionBudget>({ status })),
  unconditionalUpdate: false,
  row: (object) => [
    object.metadata.name,
    String(object.spec.minAvailable ?? 'N/A'),
    String(object.spec.maxUnavailable ?? 'N/A'),
    object.status.disruptionsAllowed,
    age(object),
  ],
});
