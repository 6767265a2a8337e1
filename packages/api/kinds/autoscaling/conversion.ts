import type { HorizontalPodAutoscaler as V1 } from '../../generated/types/autoscaling/v1.ts';
import type { HorizontalPodAutoscaler as V2, MetricSpec, MetricStatus } from '../../generated/types/autoscaling/v2.ts';
import {
  behaviorOfText,
  listOfText,
  measureFromFlat,
  measureToFlat,
  metricFromFlat,
  metricToFlat,
  textOfBehavior,
  textOfList,
} from './annotated-metrics.ts';

/** What v1 has no fields for travels in these annotations (autoscaling/annotations.go). */
const specAnnotations = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
} as const;
const statusAnnotations = {
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
} as const;
const tolerances = [
  'autoscaling.alpha.kubernetes.io/scale-down-tolerance',
  'autoscaling.alpha.kubernetes.io/scale-up-tolerance',
];

const names: Readonly<Record<'spec' | 'status', readonly string[]>> = {
  spec: Object.values(specAnnotations),
  status: Object.values(statusAnnotations),
};
const all: ReadonlySet<string> = new Set([...names.spec, ...names.status, ...tolerances]);

const utilizationDefault = 80;

const isCpuShare = ({ type, resource }: MetricSpec) =>
  type === 'Resource' && resource?.name === 'cpu' && resource.target.averageUtilization !== undefined;

const cpuShare = (averageUtilization: number): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

function withAnnotations(metadata: V1['metadata'], added: Readonly<Record<string, string>>): V1['metadata'] {
  const { annotations, ...rest } = metadata;
  const kept = Object.entries(annotations ?? {}).filter(([key]) => !all.has(key));
  const next = { ...Object.fromEntries(kept), ...added };
  return Object.keys(next).length > 0 ? { ...rest, annotations: next } : rest;
}

/** autoscaling/v1 → v2. Annotations that cannot be read are dropped. */
export function autoscalerToV2({ apiVersion: _, metadata, spec, status, ...rest }: V1): V2 {
  const { targetCPUUtilizationPercentage: target, ...scaling } = spec;
  const { currentCPUUtilizationPercentage: current, ...counts } = status;
  const annotations = metadata.annotations ?? {};
  const metrics = (listOfText(annotations[specAnnotations.metrics], 'autoscaling/v1.MetricSpec') ?? []).map((flat) =>
    metricFromFlat(flat as never),
  );
  if (target !== undefined) metrics.push(cpuShare(target));
  if (metrics.length === 0) metrics.push(cpuShare(utilizationDefault));
  const measures = listOfText(annotations[statusAnnotations.currentMetrics], 'autoscaling/v1.MetricStatus')?.map(
    (flat) => measureFromFlat(flat as never),
  );
  const cpuNow: MetricStatus[] =
    current === undefined
      ? []
      : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } }];
  const behavior = behaviorOfText(annotations[specAnnotations.behavior]);
  const conditions = listOfText(
    annotations[statusAnnotations.conditions],
    'autoscaling/v1.HorizontalPodAutoscalerCondition',
  );
  return {
    ...rest,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(metadata, {}),
    spec: { ...scaling, metrics, ...(behavior ? { behavior } : {}) },
    status: { ...counts, currentMetrics: measures ?? cpuNow, ...(conditions?.length ? { conditions } : {}) },
  } as V2;
}

/** v2 → autoscaling/v1. */
export function autoscalerFromV2({ apiVersion: _, metadata, spec, status, ...rest }: V2): V1 {
  const { metrics = [], behavior, ...scaling } = spec;
  const { currentMetrics, conditions, ...counts } = status;
  const measures = currentMetrics ?? [];
  const target = metrics.find(isCpuShare)?.resource?.target.averageUtilization;
  const others = metrics.filter((metric) => !isCpuShare(metric));
  const current = measures.findLast(({ type, resource }) => type === 'Resource' && resource?.name === 'cpu')?.resource
    ?.current.averageUtilization;
  const added: Record<string, string> = {};
  if (others.length > 0)
    added[specAnnotations.metrics] = textOfList(others.map(metricToFlat), 'autoscaling/v1.MetricSpec');
  if (measures.length > 0)
    added[statusAnnotations.currentMetrics] = textOfList(measures.map(measureToFlat), 'autoscaling/v1.MetricStatus');
  if (behavior) added[specAnnotations.behavior] = textOfBehavior(behavior);
  if (conditions?.length)
    added[statusAnnotations.conditions] = textOfList(conditions, 'autoscaling/v1.HorizontalPodAutoscalerCondition');
  return {
    ...rest,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(metadata, added),
    spec: { ...scaling, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    status: { ...counts, ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }) },
  } as V1;
}

/** Puts back what annotations say of the spec or of the status. */
export function keepAnnotated(part: 'spec' | 'status', object: V1, old: V1 | undefined): void {
  const annotations = { ...object.metadata.annotations };
  for (const name of names[part]) {
    const before = old?.metadata.annotations?.[name];
    if (before === undefined) delete annotations[name];
    else annotations[name] = before;
  }
  if (Object.keys(annotations).length > 0) object.metadata.annotations = annotations;
  else delete object.metadata.annotations;
}
