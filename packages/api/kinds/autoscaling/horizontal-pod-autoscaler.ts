import { HorizontalPodAutoscaler as V1 } from '../../generated/types/autoscaling/v1.ts';
import {
  HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerBehavior,
  type HorizontalPodAutoscalerSpec,
  type HorizontalPodAutoscalerStatus,
} from '../../generated/types/autoscaling/v2.ts';
import {
  bounds,
  crossVersionReference,
  isVersion,
  metric,
  outsideMetricForNone,
  scalingRules,
} from '../../rules/metrics.ts';
import { all, each, fields, foundIn, type Rule, validateUpdate } from '../../rules/rule.ts';
import { nonNegative } from '../../rules/values.ts';
import { counts } from '../../rules/workload/workload.ts';
import type { FieldCause } from '../../status-error.ts';
import { age, unsetCell } from '../cells.ts';
import { define } from '../define.ts';
import { autoscalerFromV2, autoscalerToV2, keepAnnotated } from './conversion.ts';
import { metricsCell } from './metrics-cell.ts';

const utilizationDefault = 80;

const rules = all<HorizontalPodAutoscalerSpec>(
  bounds as Rule<HorizontalPodAutoscalerSpec>,
  outsideMetricForNone,
  fields<HorizontalPodAutoscalerSpec>({
    behavior: fields<HorizontalPodAutoscalerBehavior>({ scaleUp: scalingRules, scaleDown: scalingRules }),
  }),
);

/** What is scaled and measured says its version, but what said none before may go on so. */
function specCauses(spec: HorizontalPodAutoscalerSpec, old?: HorizontalPodAutoscalerSpec): readonly FieldCause[] {
  const { scaleTargetRef: target } = spec;
  const before = old?.scaleTargetRef;
  const isSameTarget = before?.apiVersion === target.apiVersion && before?.kind === target.kind;
  const group = isSameTarget ? 'any' : target.kind === 'ReplicationController' ? 'version' : 'group';
  const hadNone = old?.metrics?.some(
    ({ type, object }) => type === 'Object' && object && !isVersion(object.describedObject.apiVersion ?? ''),
  );
  const metrics = foundIn(spec.metrics ?? [], (one, index) =>
    metric(hadNone ? 'any' : 'version')(one, `spec.metrics[${index}]`),
  );
  return [...rules(spec, 'spec'), ...crossVersionReference(group)(target, 'spec.scaleTargetRef'), ...metrics];
}

const status: Rule<HorizontalPodAutoscalerStatus> = all<HorizontalPodAutoscalerStatus>(
  counts<HorizontalPodAutoscalerStatus>('currentReplicas', 'desiredReplicas'),
  fields<HorizontalPodAutoscalerStatus>({
    conditions: each(
      fields<NonNullable<HorizontalPodAutoscalerStatus['conditions']>[number]>({ observedGeneration: nonNegative }),
    ),
  }),
);

const v2 = define(HorizontalPodAutoscaler, {
  defaults({ spec: wanted }) {
    wanted.minReplicas ??= 1;
    if ((wanted.metrics ?? []).length === 0) {
      const target = { type: 'Utilization', averageUtilization: utilizationDefault };
      wanted.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
    }
    if (wanted.behavior) behaviorDefaults(wanted.behavior);
  },
  validateCreate: ({ spec: wanted }) => specCauses(wanted),
  validateUpdate: ({ spec: wanted }, { spec: old }) => specCauses(wanted, old),
  validateStatusUpdate: validateUpdate<HorizontalPodAutoscaler>(fields<HorizontalPodAutoscaler>({ status })),
  row: (object) => [
    object.metadata.name,
    `${object.spec.scaleTargetRef.kind}/${object.spec.scaleTargetRef.name}`,
    metricsCell(object.spec.metrics ?? [], object.status.currentMetrics ?? []),
    object.spec.minReplicas === undefined ? unsetCell : String(object.spec.minReplicas),
    object.spec.maxReplicas,
    object.status.currentReplicas ?? 0,
    age(object),
  ],
});

const v1 = define(V1, {
  /** Annotations are read and written again, so that they say what the second version makes of them. */
  defaults(object) {
    object.spec.minReplicas ??= 1;
    Object.assign(object, autoscalerFromV2(autoscalerToV2(object)));
  },
  prepareForCreate: (object) => keepAnnotated('status', object, undefined),
  prepareForUpdate: (object, old) => keepAnnotated('status', object, old),
  prepareForStatusUpdate: (object, old) => keepAnnotated('spec', object, old),
  validateCreate: (object) => specCauses(autoscalerToV2(object).spec),
  validateUpdate: (object, old) => specCauses(autoscalerToV2(object).spec, autoscalerToV2(old).spec),
  validateStatusUpdate: (object) => status(autoscalerToV2(object).status, 'status'),
  row: (object) => v2.row!(autoscalerToV2(object)),
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
