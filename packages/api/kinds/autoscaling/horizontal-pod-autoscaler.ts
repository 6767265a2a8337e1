import {
  HorizontalPodAutoscaler as V1,
  type HorizontalPodAutoscalerSpec as SpecV1,
} from '../../generated/types/autoscaling/v1.ts';
import {
  HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerBehavior,
  type HorizontalPodAutoscalerSpec,
  type HorizontalPodAutoscalerStatus,
} from '../../generated/types/autoscaling/v2.ts';
import { bounds, metric, outsideMetricForNone, scaleTarget, scalingRules } from '../../rules/metrics.ts';
import { all, each, fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { positive } from '../../rules/values.ts';
import { counts } from '../../rules/workload.ts';
import { age, unsetCell } from '../cells.ts';
import { define } from '../define.ts';
import { metricsCell } from './metrics-cell.ts';

const utilizationDefault = 80;

const spec = all<HorizontalPodAutoscalerSpec>(
  bounds as Rule<HorizontalPodAutoscalerSpec>,
  outsideMetricForNone,
  fields<HorizontalPodAutoscalerSpec>({
    scaleTargetRef: scaleTarget,
    metrics: each(metric),
    behavior: fields<HorizontalPodAutoscalerBehavior>({ scaleUp: scalingRules, scaleDown: scalingRules }),
  }),
);

const status = counts<HorizontalPodAutoscalerStatus>('currentReplicas', 'desiredReplicas');

const v2 = define(HorizontalPodAutoscaler, {
  defaults({ spec: wanted }) {
    wanted.minReplicas ??= 1;
    if ((wanted.metrics ?? []).length === 0) {
      const target = { type: 'Utilization', averageUtilization: utilizationDefault };
      wanted.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
    }
    if (wanted.behavior) behaviorDefaults(wanted.behavior);
  },
  validate: validate<HorizontalPodAutoscaler>(fields<HorizontalPodAutoscaler>({ spec })),
  validateStatusUpdate: validateUpdate<HorizontalPodAutoscaler>(fields<HorizontalPodAutoscaler>({ status })),
  row: (object, nowMs) => [
    object.metadata.name,
    `${object.spec.scaleTargetRef.kind}/${object.spec.scaleTargetRef.name}`,
    metricsCell(object.spec.metrics ?? [], object.status.currentMetrics ?? []),
    object.spec.minReplicas === undefined ? unsetCell : String(object.spec.minReplicas),
    object.spec.maxReplicas,
    object.status.currentReplicas ?? 0,
    age(object, nowMs),
  ],
});

const specV1 = all<SpecV1>(
  bounds as Rule<SpecV1>,
  fields<SpecV1>({
    scaleTargetRef: scaleTarget,
    // Upstream checks the second version's form of it.
    targetCPUUtilizationPercentage: (value) => positive(value, 'spec.metrics[0].resource.target.averageUtilization'),
  }),
);

const v1 = define(V1, {
  defaults({ spec: wanted }) {
    wanted.minReplicas ??= 1;
    wanted.targetCPUUtilizationPercentage ??= utilizationDefault;
  },
  validate: validate<V1>(fields<V1>({ spec: specV1 })),
  row: (object, nowMs) => {
    const current = object.status.currentCPUUtilizationPercentage;
    const target = object.spec.targetCPUUtilizationPercentage;
    return [
      object.metadata.name,
      `${object.spec.scaleTargetRef.kind}/${object.spec.scaleTargetRef.name}`,
      `cpu: ${current === undefined ? '<unknown>' : `${current}%`}/${target}%`,
      object.spec.minReplicas === undefined ? unsetCell : String(object.spec.minReplicas),
      object.spec.maxReplicas,
      object.status.currentReplicas ?? 0,
      age(object, nowMs),
    ];
  },
});

export const horizontalPodAutoscaler = [v2, v1];

/** What is said of one direction stands; the rest is as fast up as it gets, and down by all at once. */
function behaviorDefaults(behavior: HorizontalPodAutoscalerBehavior): void {
  const percent = { type: 'Percent', value: 100, periodSeconds: 15 };
  const { scaleUp, scaleDown } = behavior;
  behavior.scaleUp = {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, percent],
    ...scaleUp,
  };
  behavior.scaleDown = { selectPolicy: 'Max', policies: [{ ...percent }], ...scaleDown };
}
